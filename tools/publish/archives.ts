import { copyToFolder, lookUpInFolder } from "./folder";
import { lookUpOnForge, pushToForge } from "./forge";
import type { Registry, Target } from "./registry";

/** A folder that a web server serves, such as a mirror of the organization, in place of a release on the forge. */
const isFolder = ({ address }: Target): boolean => address.startsWith("file:");

export const archives: Registry = {
  title: "the archives",
  subject: (version) => `the files of v${version}`,
  lookUp: (target) => (isFolder(target) ? lookUpInFolder(target) : lookUpOnForge(target)),
  push: (target) => (isFolder(target) ? copyToFolder(target) : pushToForge(target)),
};
