# Formula for Homebrew: builds from the source archive of a release.
class GitCairn < Formula
  desc "Project memory inside its git repository, for people and agents"
  homepage "https://github.com/cairn-project/cairn"
  url "https://github.com/cairn-project/cairn/archive/refs/tags/v0.1.0.tar.gz"
  # Written at release: the checksum of the source archive.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/cli")
    bin.install_symlink "cairn" => "git-cairn"
    generate_completions_from_executable(bin/"cairn", "completions", shells: [:bash, :zsh, :fish])
    system bin/"cairn", "man", man1
  end

  test do
    system "git", "init", "-q"
    system bin/"cairn", "new", "issue", "Login fails"
    assert_match "Login fails", shell_output("#{bin}/cairn list")
  end
end
