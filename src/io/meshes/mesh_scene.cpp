#include "io/meshes/mesh_scene.hpp"

#ifdef CHASLES_ASSIMP
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#endif

namespace chasles::io {

bool is_scene(std::string_view ending) {
  return ending == ".dae" || ending == ".gltf" || ending == ".glb";
}

#ifndef CHASLES_ASSIMP

TriangleMesh read_scene(const std::string&, std::string_view ending) {
  throw Error(quote(ending) +
              " is read where chasles was built with assimp (on Debian: apt-get install "
              "libassimp-dev, and build again); or convert it to .stl or .obj");
}
TriangleMesh read_scene_file(const std::filesystem::path& path) {
  return read_scene("", path.extension().string());
}

#else

namespace {

/// Functions of the library, which is loaded once and stays.
struct Assimp {
  decltype(&aiCreatePropertyStore) create_properties = nullptr;
  decltype(&aiReleasePropertyStore) release_properties = nullptr;
  decltype(&aiSetImportPropertyInteger) set_property = nullptr;
  decltype(&aiImportFileFromMemoryWithProperties) import_bytes = nullptr;
  decltype(&aiImportFileExWithProperties) import_file = nullptr;
  decltype(&aiReleaseImport) release = nullptr;
  decltype(&aiGetErrorString) error = nullptr;
  decltype(&aiGetMaterialColor) color = nullptr;
  decltype(&aiGetMaterialTextureCount) textures = nullptr;

  static const Assimp& instance() {
    static const Assimp loaded;
    return loaded;
  }

 private:
  Assimp() {
    void* const library = dlopen(CHASLES_ASSIMP, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw Error(std::string("is read by assimp, which cannot be had (") + dlerror() +
                  "); on Debian: apt-get install libassimp5; or convert it to .stl or .obj");
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      if (function == nullptr)
        throw Error(std::string("is read by assimp, but " CHASLES_ASSIMP " has no ") + name);
    };
    find(create_properties, "aiCreatePropertyStore");
    find(release_properties, "aiReleasePropertyStore");
    find(set_property, "aiSetImportPropertyInteger");
    find(import_bytes, "aiImportFileFromMemoryWithProperties");
    find(import_file, "aiImportFileExWithProperties");
    find(release, "aiReleaseImport");
    find(error, "aiGetErrorString");
    find(color, "aiGetMaterialColor");
    find(textures, "aiGetMaterialTextureCount");
  }
};

using Scene = std::unique_ptr<const aiScene, decltype(&aiReleaseImport)>;

/// The triangles of a scene, in the world.
class SceneReader {
 public:
  SceneReader(const aiScene& scene, bool y_up) : scene_(scene), y_up_(y_up) {}

  TriangleMesh read() {
    add(*scene_.mRootNode, aiMatrix4x4());
    if (mesh_.faces.empty()) throw Error("has no triangles");
    if (textured_) mesh_.notes.push_back({std::string(textures_left_out)});
    return std::move(mesh_);
  }

 private:
  void add(const aiNode& node, const aiMatrix4x4& parent) {
    const aiMatrix4x4 pose = parent * node.mTransformation;
    for (unsigned k = 0; k < node.mNumMeshes; ++k) add(*scene_.mMeshes[node.mMeshes[k]], pose);
    for (unsigned k = 0; k < node.mNumChildren; ++k) add(*node.mChildren[k], pose);
  }
  void add(const aiMesh& part, const aiMatrix4x4& pose) {
    const bool mirrored = pose.Determinant() < 0;
    mesh_.materials.push_back({mesh_.faces.size(), {}, color_of(part)});
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
      const aiFace& face = part.mFaces[f];
      if (face.mNumIndices != 3) continue;  // points and lines
      std::array<int, 3> corners{};
      for (unsigned k = 0; k < 3; ++k) corners[k] = index(pose * part.mVertices[face.mIndices[k]]);
      if (mirrored) std::swap(corners[1], corners[2]);
      mesh_.faces.push_back(corners);
    }
  }
  /// Equal corners are one vertex.
  int index(const aiVector3D& p) {
    const auto place = y_up_ ? std::array{p.x, -p.z, p.y} : std::array{p.x, p.y, p.z};
    if (!std::ranges::all_of(place, [](float x) { return std::isfinite(x); }))
      throw Error("has coordinates that are not finite numbers");
    const auto [found, fresh] = index_.emplace(place, static_cast<int>(mesh_.vertices.size()));
    if (fresh) mesh_.vertices.push_back({place[0], place[1], place[2]});
    return found->second;
  }
  std::optional<std::array<double, 4>> color_of(const aiMesh& part) {
    if (part.mMaterialIndex >= scene_.mNumMaterials) return std::nullopt;
    const Assimp& assimp = Assimp::instance();
    const aiMaterial* const material = scene_.mMaterials[part.mMaterialIndex];
    textured_ = textured_ || assimp.textures(material, aiTextureType_DIFFUSE) > 0;
    aiColor4D c;
    if (assimp.color(material, AI_MATKEY_COLOR_DIFFUSE, &c) != aiReturn_SUCCESS)
      return std::nullopt;
    // glTF has linear colors.
    const auto shown = [&](float x) {
      return std::clamp(y_up_ ? std::pow(static_cast<double>(x), 1 / 2.2) : x, 0.0, 1.0);
    };
    return std::array{shown(c.r), shown(c.g), shown(c.b), std::clamp<double>(c.a, 0, 1)};
  }

  const aiScene& scene_;
  bool y_up_;
  bool textured_ = false;
  TriangleMesh mesh_;
  std::map<std::array<float, 3>, int> index_;
};

/// @param import  given the options of the import, gives the scene or null
template <class Import>
TriangleMesh imported(std::string_view ending, const Import& import) {
  const Assimp& assimp = Assimp::instance();
  const std::unique_ptr<aiPropertyStore, decltype(&aiReleasePropertyStore)> options(
      assimp.create_properties(), assimp.release_properties);
  assimp.set_property(options.get(), AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const Scene scene(import(assimp, options.get()), assimp.release);
  if (!scene) throw Error(std::string("cannot be read: ") + assimp.error());
  if (scene->mRootNode == nullptr) throw Error("has no triangles");
  return SceneReader(*scene, ending != ".dae").read();
}

}  // namespace

TriangleMesh read_scene(const std::string& bytes, std::string_view ending) {
  if (bytes.empty()) throw Error("has no triangles");
  return imported(ending, [&](const Assimp& assimp, const aiPropertyStore* options) {
    return assimp.import_bytes(bytes.data(), static_cast<unsigned>(bytes.size()),
                               aiProcess_Triangulate, std::string(ending.substr(1)).c_str(),
                               options);
  });
}
TriangleMesh read_scene_file(const std::filesystem::path& path) {
  if (std::filesystem::file_size(path) == 0) throw Error("has no triangles");
  return imported(".gltf", [&](const Assimp& assimp, const aiPropertyStore* options) {
    return assimp.import_file(path.c_str(), aiProcess_Triangulate, nullptr, options);
  });
}

#endif

}  // namespace chasles::io
