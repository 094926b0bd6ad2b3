/// The files of an SDF model: the one that is read, and those that it includes.
#pragma once

#include <map>
#include <memory>

#include "chasles/io/mechanism_file.hpp"
#include "io/urdf/xml.hpp"

namespace chasles::io::sdf {

/// The minor version, 1.MINOR, of a file; default: the newest.
/// @throws Error if it is unknown, or older than 1.2, where values were attributes
int read_version(const Element& top);

/// A file that has been parsed. Warnings about it are given out when it ends.
struct Document {
  /// @param path    empty: a text from elsewhere
  Document(std::string_view text, std::string name, std::filesystem::path path,
           std::vector<std::string>* warnings);
  const std::string name;
  const std::filesystem::path path;
  const XmlText xml;
  Report report;
  const Element top;
  const int version;
};

/// Each file is read once, however often it is included.
class Documents {
 public:
  Documents(std::string_view text, const std::string& name, const ReadOptions& options);
  const Document& main() const { return *main_; }
  const ReadOptions& options() const { return options_; }

  /// The file of an <include>:
  ///
  ///     model://NAME, NAME/FILE   in the folders of SDF_PATH, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH and
  ///                               GAZEBO_MODEL_PATH, beside the file or above it
  ///     package://NAME/FILE       by ROS_PACKAGE_PATH and the like (io/resources.hpp)
  ///     PATH, file://PATH         relative to the file; outside of its folder and of those above only if allowed
  ///
  /// Of a folder the file is that of its model.config for the newest version here; without one, model.sdf.
  /// @param by  the file that includes it
  /// @throws Error at the <include>, naming the folders that were searched
  const Document& included(const Element& include, const Document& by);

  /// While it lives, a file is being included.
  class Opened {
   public:
    /// @throws Error at the <include>, if the file is being included already
    Opened(Documents& documents, const Document& document, const Element& include);
    ~Opened() { documents_.open_.pop_back(); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    Documents& documents_;
  };

  /// Counts a model that is about to be read.
  /// @throws Error at 10,000, which files that include each other twice reach in a few levels
  void count_model(const Element& model);

 private:
  std::filesystem::path locate(const Element& uri, const std::string& text, const Document& by);
  std::filesystem::path outside_checked(const Element& uri, const std::filesystem::path& path,
                                        const Document& by) const;
  const ReadOptions& options_;
  std::unique_ptr<Document> main_;
  std::map<std::string, std::unique_ptr<Document>> others_;  // by path
  std::vector<const Document*> open_;                        // being included, outermost first
  int models_ = 0;
};

}  // namespace chasles::io::sdf
