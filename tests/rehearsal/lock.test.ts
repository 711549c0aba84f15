import { readFileSync } from "node:fs";
import { join } from "node:path";
import { registriesFolder } from "../../tools/rehearsal/registries";
import { root } from "../rooms";

const read = (...path: string[]): string => readFileSync(join(registriesFolder, ...path), "utf8");

interface Lock {
  packages: Record<string, { version?: string; resolved?: string; integrity?: string; engines?: { node?: string } }>;
}

describe("the registry that a rehearsal installs", () => {
  const { packages } = JSON.parse(read("npm", "package-lock.json")) as Lock;
  const installed = Object.entries(packages).filter(([path]) => path !== "");

  test("is one version, checked by its content, from whichever registry npm has", () => {
    expect(packages["node_modules/verdaccio"]?.version).toBe("6.8.0");
    const copies = installed.filter(([path]) => path.endsWith("/node-fetch"));
    expect(copies.map(([, { version }]) => version)).toEqual(["2.7.0"]);
    expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))).toEqual([]);
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test("is no dependency of the package", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, object>;
    for (const kind of ["dependencies", "devDependencies"]) expect(manifest[kind]).not.toHaveProperty("verdaccio");
  });

  test("and its counterpart for Python are pinned to one version", () => {
    expect(read("python", "requirements.txt").trim().split("\n")).toEqual(["pypiserver==2.4.2", "twine==6.2.0"]);
  });
});
