/** Who publishes: a placeholder, which a release replaces here and nowhere else. */
export const organization = "example-organization";

/** Whether registries have the package: set before the tag of the first release, here and nowhere else. */
export const published: boolean = false;

/** Where the sources, issues and releases are. */
export const repository = `https://github.com/${organization}/pulumi-modelplatform`;

/** The module of the Go SDK; programs import the package in it. */
export const goModule = `${repository.replace("https://", "")}/sdk/go`;

const words = organization.split(/[^A-Za-z0-9]+/);

/** What programs import of the SDKs that the schema describes. No name is that of Pulumi's own packages. */
export const sdkNames = {
  nodejs: "pulumi-modelplatform-sdk",
  go: goModule,
  csharp: words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(""),
  java: `io.github.${words.join("").toLowerCase()}`,
};

/** The SDK for .NET in its registry, and its namespace. */
export const dotnetPackage = `${sdkNames.csharp}.ModelPlatform`;

/** What the package's schema says of it. */
export const publisher = {
  publisher: organization,
  namespace: organization,
  repository,
  homepage: repository,
  logoUrl: `https://raw.githubusercontent.com/${organization}/pulumi-modelplatform/main/docs/images/logo.svg`,
  pluginDownloadURL: `github://api.github.com/${organization}/pulumi-modelplatform`,
};

/** Fields of the manifest for the registry of packages. */
export const registryFields = {
  repository: { type: "git", url: `git+${repository}.git` },
  homepage: `${repository}#readme`,
  bugs: { url: `${repository}/issues` },
  publishConfig: { access: "public", provenance: true },
};
