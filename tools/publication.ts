import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { organization, published } from "./publisher";

/** What pages say before the first publication, and from it on. */
const sentences: readonly (readonly [before: string, after: string])[] = [
  [
    "You need Node.js 20.19. Pack a clone with `npm pack --pack-destination ..`, which installs what it lacks, and go on beside it:",
    "You need Node.js 20.19:",
  ],
  [
    "npm install ../pulumi-modelplatform-*.tgz @pulumi/pulumi typescript@5",
    "npm install pulumi-modelplatform @pulumi/pulumi typescript@5",
  ],
  [
    "[Pack a clone](../README.md#in-a-project-of-your-own), as there is no release in a registry yet, and begin beside it.",
    "Begin with an empty folder.",
  ],
  [
    "Until there is a release, pipelines install the tarball if it is in the repository: `npm install ./pulumi-modelplatform-X.Y.Z.tgz`, and commit it.",
    "Pipelines install the version of the lock file: `npm ci`.",
  ],
  [
    "First install the package: `npm install pulumi-modelplatform`. Until there is a release, give the path of a packed clone.",
    "Install the package first: `npm install pulumi-modelplatform`.",
  ],
];

interface Publication {
  organization: string;
  published: boolean;
  version: string;
}

/** A page as it is with a publisher and a version, before or after the first publication. */
export const pageAt = (text: string, { organization: owner, published: isOut, version }: Publication): string =>
  sentences
    .reduce((page, [before, after]) => (isOut ? page.replaceAll(before, after) : page.replaceAll(after, before)), text)
    .replaceAll(/(?<=\bgithub\.com\/)[\w.-]+(?=\/pulumi-modelplatform\b)/g, owner)
    .replace(/(?<=^\*\*Status\.\*\* )[^·]+(?= ·)/m, isOut ? version : `${version}, not in a registry yet`);

/** Pages that people write, and in which these facts stand as well. */
export const writtenPages = (root: string): string[] => [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...["docs", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.md$|(?:^|\/)Pulumi\.yaml$/.test(path) && !path.includes("node_modules"))
      .map((path) => `${folder}/${path}`),
  ),
];

const placeholder = /example-?organization/i;
const unpublished = /not in a registry yet|no release in a registry|until there is a release|pack a clone/i;

/** Files of the package that name the placeholder, or say of today that nothing is published. */
export const unreadyFiles = (root: string, packed: readonly string[]): string[] =>
  packed.filter((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return placeholder.test(text) || (/\.(?:md|yaml)$/.test(path) && unpublished.test(text));
  });

/** As `tools/publisher.ts` has it. */
export const publicationOf = (version: string): Publication => ({ organization, published, version });
