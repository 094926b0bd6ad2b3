/// An MJCF model as one XML tree: the main file, with everything in its place that MuJoCo puts there before it reads a
/// model.
///
///     <include>                         the elements of the file                                 include.cpp
///     <frame>, <replicate>, <attach>    their contents, each with the pose that they give it     expand.cpp, attach.cpp
///
/// Every element keeps the file and the line it was written in.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <unordered_set>

#include "chasles/io/mechanism_file.hpp"
#include "io/mjcf/references.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {

/// One file, parsed.
struct SourceFile {
  std::string name;              // in messages
  std::filesystem::path folder;  // of the file
  std::unique_ptr<XmlText> xml;
};

/// A model of its own: the main one, or one that is attached.
struct SourceModel {
  SourceFile* file = nullptr;
  tinyxml2::XMLElement* root = nullptr;  // with its includes
  std::filesystem::path path{};          // normalized; empty: the main one
  Compiler compiler{};
  std::unordered_set<std::string> included{};         // normalized paths
  std::vector<const tinyxml2::XMLElement*> assets{};  // its <model> elements
};

/// What an element of the tree remembers.
struct Place : Origin {
  SE3 frame{};                         // pose of the frames and replicas around it, in its body
  const SourceModel* model = nullptr;  // attached from; null: the main one
};
inline const Place* place_of(const Element& element) {
  return static_cast<const Place*>(element.origin());
}

/// The number of elements around a node.
int depth_of(const tinyxml2::XMLNode& node);
/// Moves the elements in `from` to its place among its siblings, and removes it.
void dissolve(tinyxml2::XMLElement& from);

class Document {
 public:
  /// @throws Error naming a file that is missing, outside of the folder, or included twice
  Document(std::string_view text, const std::string& name, const ReadOptions& options);
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  Report& report() { return report_; }
  /// <compiler> of the main model.
  const Compiler& compiler() const { return models_.front().compiler; }
  /// The root element of the main file, expanded.
  const tinyxml2::XMLElement& root() const { return *root_; }

 private:
  using Xml = tinyxml2::XMLElement;
  Element element(const Xml& xml, std::string what) { return {report_, xml, std::move(what)}; }

  // include.cpp
  std::filesystem::path find(const Element& naming, const std::filesystem::path& beside) const;
  SourceFile& read(const Element& naming, const std::filesystem::path& path);
  void include(Xml& parent, SourceModel& model, const std::filesystem::path& beside);
  void include_file(Xml& include, SourceModel& model, const std::filesystem::path& beside);
  Xml* clone(const Xml& from, const std::string& file, int depth);
  Place& place(Xml& xml);

  // expand.cpp
  void read_settings(SourceModel& model, Xml& root);
  void expand(Xml& parent, const SE3& frame, const std::string& childclass);
  void expand_frame(Xml& xml, const SE3& frame, const std::string& childclass);
  void expand_replicate(Xml& xml, const SE3& frame, const std::string& childclass);
  void set_place(Xml& xml, const SE3& frame, const std::string& childclass);
  void replicate_references(NamesByKind names, const std::vector<std::string>& suffixes);
  void replicate_section(Xml& section, NamesByKind& names,
                         const std::vector<std::string>& suffixes);
  const SourceModel& model_of(const Xml& xml) const;

  // attach.cpp
  void expand_attach(Xml& xml, const SE3& frame);
  SourceModel& model_asset(const Element& attach, const SourceModel& parent);
  SourceModel& read_model(const Element& asset, const SourceModel& parent);
  void mark(Xml& xml, const SourceModel& model);
  void attach_sections(const SourceModel& model, const std::string& prefix, const NamesByKind& all,
                       const NamesByKind& attached);

  Report report_;
  ReadOptions options_;
  std::deque<SourceFile> files_;
  std::deque<SourceModel> models_;
  std::deque<Place> places_;
  std::vector<const SourceModel*> attaching_;  // outermost first
  std::size_t bytes_ = 0, elements_ = 0;
  Xml* root_ = nullptr;
};

}  // namespace chasles::io::mjcf
