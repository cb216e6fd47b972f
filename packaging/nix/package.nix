# Builds Cairn with nixpkgs: `nix-build -E 'with import <nixpkgs> {}; callPackage ./packaging/nix/package.nix {}'`.
{ lib, rustPlatform, git, installShellFiles }:

rustPlatform.buildRustPackage {
  pname = "git-cairn";
  version = "0.1.0";

  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  cargoBuildFlags = [ "--package" "git-cairn" ];

  nativeBuildInputs = [ installShellFiles ];
  nativeCheckInputs = [ git ];
  # The whole suite needs a browser, lazygit and shells; `cargo xtask ci` runs it.
  doCheck = false;

  postInstall = ''
    ln -s cairn $out/bin/git-cairn
    installShellCompletion --cmd cairn \
      --bash <($out/bin/cairn completions bash) \
      --zsh <($out/bin/cairn completions zsh) \
      --fish <($out/bin/cairn completions fish)
    mkdir -p $out/share/man/man1
    $out/bin/cairn man $out/share/man/man1
  '';

  meta = {
    description = "Project memory inside its git repository, for people and agents";
    homepage = "https://github.com/cairn-project/cairn";
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "cairn";
  };
}
