import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executableOf } from "../../engine/providers/executables";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(realpathSync(tmpdir()), "plugins-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function put(...path: string[]): string {
  const file = join(folder, ...path, "pulumi-resource-boxes");
  mkdirSync(join(folder, ...path), { recursive: true });
  writeFileSync(file, "");
  return file;
}

const places = (plugins: { name: string; path: string; version?: string }[] = []) => ({
  project: { folder, plugins },
  env: { PULUMI_HOME: join(folder, "home"), PATH: join(folder, "path") },
});

test("what the project names comes first, then PATH, then what Pulumi has installed", () => {
  const installed = put("home", "plugins", "resource-boxes-v1.0.0");
  expect(executableOf("boxes", undefined, places())).toBe(installed);
  const ambient = put("path");
  expect(executableOf("boxes", undefined, places())).toBe(ambient);
  const own = put("vendor");
  expect(executableOf("boxes", undefined, places([{ name: "boxes", path: "vendor" }]))).toBe(own);
});

test("PATH is left out where the environment says so", () => {
  put("path");
  const installed = put("home", "plugins", "resource-boxes-v1.0.0");
  const { project, env } = places();
  expect(executableOf("boxes", undefined, { project, env: { ...env, PULUMI_IGNORE_AMBIENT_PLUGINS: "true" } })).toBe(
    installed,
  );
});

test("the newest installed plugin serves that can replace the version asked for", () => {
  for (const version of ["1.9.0", "1.10.0", "2.0.0"]) put("home", "plugins", `resource-boxes-v${version}`);
  const named = (version?: string) => executableOf("boxes", version, places()).split("/").at(-2);
  expect([named("1.2.0"), named("1.10.0"), named()]).toEqual([
    "resource-boxes-v1.10.0",
    "resource-boxes-v1.10.0",
    "resource-boxes-v2.0.0",
  ]);
  expect(() => named("1.11.0")).toThrow(/"boxes" in version 1.11.0 or newer/);
});

test("a missing plugin is an error with the places searched: nothing is downloaded", () => {
  expect(() => executableOf("boxes", undefined, places())).toThrow(
    /"boxes", which is not on this machine.*Pulumi CLI.*downloads nothing, and looked in `plugins` in Pulumi\.yaml, PATH and .*plugins/,
  );
});

test("a folder that the project names has to hold the plugin", () => {
  expect(() => executableOf("boxes", undefined, places([{ name: "boxes", path: "vendor" }]))).toThrow(
    /Pulumi\.yaml names .*vendor as the folder of the provider plugin "boxes", and there is no pulumi-resource-boxes/,
  );
});
