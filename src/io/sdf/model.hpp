/// A <model> of SDF, or all that a file has at its top and in worlds: links, joints, frames, and models that are nested
/// or included.
#pragma once

#include "io/sdf/documents.hpp"
#include "io/sdf/frames.hpp"

namespace chasles::io::sdf {

/// Whether a child element says true.
bool is_true(const Element& owner, std::string_view tag);

/// The rules for an element of a model: those of its file, and the name of its model's frame.
struct Source {
  const Document* document;
  std::string self = model_frame;  // of a merged model: a frame of the model it is merged into

  int version() const { return document->version; }
  /// A name in the element as one in the model.
  std::string name(const std::string& given) const { return given == model_frame ? self : given; }
};
struct Member {
  std::string name;
  Element element;
  Source source;
};

class Model {
 public:
  /// Collects the contents, with files that are included.
  /// @param element  a <model>, or the outermost element: its models and those of its worlds
  /// @param depth    of nesting: 32 at most
  Model(Documents& documents, const Element& element, const Document& document, int depth);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  struct Nested {
    std::string name;
    std::unique_ptr<Model> model;
    bool is_static;
    Element element;
  };
  bool is_static() const { return is_static_; }
  std::vector<Member> links, joints, frames;
  std::vector<Nested> nested;
  Frames names;

 private:
  void collect(const Element& owner, const Source& source);
  void collect_element(const Element& plain, const Source& source);
  void nest(const Element& element, const Source& source);
  void include(const Element& include, const Source& source);
  void merge(const Element& include, const Element& model, const Document& document,
             const Source& source);
  GivenPose pose_of(const Element& e, const Source& source) const;
  void choose_canonical(const Element& element);

  Documents& documents_;
  int depth_;
  bool is_static_;
};

/// The gravity of a world; before 1.6 it was in <physics>.
Vec3 read_gravity(const Element& world, int version);

}  // namespace chasles::io::sdf
