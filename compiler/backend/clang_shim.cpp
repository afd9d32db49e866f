// Compiles one in-memory translation unit with Clang's front end and LLVM's code generator.
// SPDX-License-Identifier: Apache-2.0
#include "clang_shim.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace
{

void initialize_target()
{
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

char *copy(llvm::StringRef text)
{
  char *result = static_cast<char *>(std::malloc(text.size() + 1));
  if (!result) return nullptr;
  std::memcpy(result, text.data(), text.size());
  result[text.size()] = 0;
  return result;
}

std::unique_ptr<clang::CodeGenAction> action_of(basin_shim_form form)
{
  switch (form) {
  case BASIN_SHIM_LLVM:
    return std::make_unique<clang::EmitLLVMAction>();
  case BASIN_SHIM_ASSEMBLY:
    return std::make_unique<clang::EmitAssemblyAction>();
  case BASIN_SHIM_OBJECT:
    break;
  }
  return std::make_unique<clang::EmitObjAction>();
}

// Runs the compiler; what it writes goes to `output`, what it says to `log`.
bool run(const basin_shim_request &request,
         llvm::SmallVectorImpl<char> &output,
         llvm::raw_ostream &log)
{
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
  clang::TextDiagnosticPrinter printer(log, options.get());
  llvm::IntrusiveRefCntPtr<clang::DiagnosticIDs> ids(new clang::DiagnosticIDs);
  clang::DiagnosticsEngine early(ids, options, &printer, false);

  const std::string triple = llvm::sys::getProcessTriple();
  std::vector<const char *> arguments = {"-triple", triple.c_str()};
  arguments.insert(arguments.end(), request.arguments, request.arguments + request.argument_count);
  arguments.push_back(request.files[0].name);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, early)) return false;

  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(new llvm::vfs::InMemoryFileSystem);
  files->setCurrentWorkingDirectory("/");
  for (size_t i = 0; i < request.file_count; i++)
    files->addFile(request.files[i].name,
                   0,
                   llvm::MemoryBuffer::getMemBuffer(request.files[i].text, request.files[i].name));

  clang::CompilerInstance compiler;
  compiler.setInvocation(invocation);
  compiler.createDiagnostics(&printer, false);
  compiler.setVerboseOutputStream(std::make_unique<llvm::raw_null_ostream>());
  compiler.createFileManager(files);
  compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(output));
  const std::unique_ptr<clang::CodeGenAction> action = action_of(request.form);
  return compiler.ExecuteAction(*action);
}

} // namespace

int basin_shim_abi(void)
{
  return BASIN_SHIM_ABI;
}

const char *basin_shim_version(void)
{
  return LLVM_VERSION_STRING;
}

const char *basin_shim_host_cpu(void)
{
  static const std::string name = llvm::sys::getHostCPUName().str();
  return name.c_str();
}

void basin_shim_compile(const basin_shim_request *request, basin_shim_result *result)
{
  initialize_target();
  llvm::SmallString<0> output;
  std::string diagnostics;
  llvm::raw_string_ostream log(diagnostics);
  const bool compiled = run(*request, output, log);
  log.flush();
  result->data = compiled ? copy(output) : nullptr;
  result->size = result->data ? output.size() : 0;
  result->diagnostics = copy(diagnostics);
}

void basin_shim_release(basin_shim_result *result)
{
  std::free(result->data);
  std::free(result->diagnostics);
  *result = basin_shim_result{};
}
