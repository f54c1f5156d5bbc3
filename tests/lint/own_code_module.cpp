/// \file
/// A module for clang-tidy (--load): checks see our own declarations only. Without it every check walks through
/// Eigen's, fmt's and GoogleTest's headers and all that is instantiated from them, and what it finds there is dropped:
/// four fifths of the time. Written for clang-tidy 14, the version that ./check installs; clangd limits the same checks
/// in this way.
#include <vector>

#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "clang/AST/ASTContext.h"
#include "clang/ASTMatchers/ASTMatchFinder.h"
#include "clang/Basic/SourceManager.h"

namespace {

using clang::ast_matchers::MatchFinder;

/// Finds nothing itself. It matches the translation unit, which is visited before what it contains, and the traversal
/// asks for the scope when it descends.
class OwnCodeOnly : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);
  }

  void check(const MatchFinder::MatchResult& result) override {
    clang::ASTContext& context = *result.Context;
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : context.getTranslationUnitDecl()->decls()) {
      if (!context.getSourceManager().isInSystemHeader(declaration->getLocation())) {
        own.push_back(declaration);
      }
    }
    context.setTraversalScope(own);
  }
};

class OwnCodeModule : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<OwnCodeOnly>("mbdbench-own-code-only");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<OwnCodeModule> own_code_module("mbdbench",
                                                                               "checks see our own code only");

}  // namespace
