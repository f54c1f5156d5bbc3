/// \file
/// clang-tidy as a plugin of the compiler (-fplugin), with its checks linked in: a build by Clang, which ./check --full
/// needs for the sanitizers anyway, is looked at while it compiles. By itself clang-tidy would parse every file and
/// instantiate all its templates once more, which is nearly all that it costs. Written for Clang 14, as
/// own_code_module.cpp is, which belongs to it.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clang-tidy/ClangTidy.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyOptions.h"
#include "clang/Basic/Version.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace {

namespace tidy = clang::tidy;

/// The checks of one compilation, and what they found.
class Checks : public clang::MultiplexConsumer {
 public:
  /// \param context whose diagnostics come to `findings`
  Checks(std::vector<std::unique_ptr<clang::ASTConsumer>> consumers, std::unique_ptr<tidy::ClangTidyContext> context,
         std::unique_ptr<clang::DiagnosticsEngine> engine, tidy::ClangTidyDiagnosticConsumer* findings,
         const clang::SourceManager& sources, std::string report)
      : MultiplexConsumer(std::move(consumers)),
        context_(std::move(context)),
        engine_(std::move(engine)),
        findings_(findings),
        sources_(sources),
        report_(std::move(report)) {}

  void HandleTranslationUnit(clang::ASTContext& unit) override {
    MultiplexConsumer::HandleTranslationUnit(unit);
    std::error_code error;
    llvm::raw_fd_ostream out(report_, error);
    for (const tidy::ClangTidyError& finding : findings_->take()) {
      const clang::tooling::DiagnosticMessage& message = finding.Message;
      out << message.FilePath << ':' << line(message) << ": " << message.Message << " [" << finding.DiagnosticName
          << "]\n";
    }
  }

 private:
  [[nodiscard]] unsigned line(const clang::tooling::DiagnosticMessage& message) const {
    const auto file = sources_.getFileManager().getFile(message.FilePath);
    if (!file) {
      return 0;
    }
    const clang::FileID id = sources_.translateFile(*file);
    return id.isValid() ? sources_.getLineNumber(id, message.FileOffset) : 0;
  }

  std::unique_ptr<tidy::ClangTidyContext> context_;
  std::unique_ptr<clang::DiagnosticsEngine> engine_;
  tidy::ClangTidyDiagnosticConsumer* findings_;  ///< owned by the engine
  const clang::SourceManager& sources_;
  std::string report_;
};

class TidyPlugin : public clang::PluginASTAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    tidy::ClangTidyOptions more;
    // Several files are compiled together: they are included.
    more.Checks = "-bugprone-suspicious-include";
    auto context = std::make_unique<tidy::ClangTidyContext>(std::make_unique<tidy::FileOptionsProvider>(
        tidy::ClangTidyGlobalOptions(), tidy::ClangTidyOptions::getDefaults(), more));
    auto* findings = new tidy::ClangTidyDiagnosticConsumer(*context);
    auto engine =
        std::make_unique<clang::DiagnosticsEngine>(new clang::DiagnosticIDs, new clang::DiagnosticOptions, findings);
    context->setDiagnosticsEngine(engine.get());
    // Clang's analyzer switches -Werror off.
    const bool werror = compiler.getDiagnostics().getWarningsAsErrors();
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(tidy::ClangTidyASTConsumerFactory(*context).createASTConsumer(compiler, file));
    compiler.getDiagnostics().setWarningsAsErrors(werror);
    std::string name = file.str();
    std::replace(name.begin(), name.end(), '/', '%');
    return std::make_unique<Checks>(std::move(consumers), std::move(context), std::move(engine), findings,
                                    compiler.getSourceManager(), reports_ + "/" + name);
  }

  bool ParseArgs(const clang::CompilerInstance& /*compiler*/, const std::vector<std::string>& arguments) override {
    llvm::StringRef reports;
    for (const llvm::StringRef argument : arguments) {
      if (argument.startswith("reports=")) {
        reports = argument.split('=').second;
      }
    }
    if (reports.empty()) {
      llvm::errs() << "tidy_plugin: needs -fplugin-arg-tidy-reports=FOLDER\n";
      return false;
    }
    reports_ = reports.str();
    const std::error_code error = llvm::sys::fs::create_directories(reports_);
    if (error) {
      llvm::errs() << "tidy_plugin: the folder of reports '" << reports_ << "': " << error.message() << '\n';
    }
    return !error;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  std::string reports_;  ///< folder for one file a compilation: its findings, empty where there are none
};

const clang::FrontendPluginRegistry::Add<TidyPlugin> tidy_plugin("tidy", "clang-tidy while compiling");

}  // namespace

// Clang asks every plugin whether its analyzer is the one that the plugin was compiled for.
extern "C" const char clang_analyzerAPIVersionString[] = CLANG_VERSION_STRING;
