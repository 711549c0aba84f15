import { randomUUID } from "node:crypto";
import { delimiter, join } from "node:path";
import { manifest } from "../../io/files/package";
import type { LocalRegistry } from "./registry";
import type { Place, Sandbox } from "./sandbox";
import { pipIndex, pipSettings } from "./settings";
import { installed, registriesFolder } from "./tooling";

/** An index of Python packages, and how somebody installs from it. */
export interface PythonIndex extends LocalRegistry {
  /** Variables with which pip asks this index alone. */
  pip: Readonly<Record<string, string>>;
}

/** Starts a Python index that sends pip to the configured one for all packages but ours. */
export async function openPythonIndex(sandbox: Sandbox, here: Place): Promise<PythonIndex> {
  const python = await installPrograms(sandbox, here);
  const pip = pipSettings(await sandbox.run("python3", ["-m", "pip", "config", "list"], here));
  const uplink = pipIndex(await sandbox.run("python3", ["-m", "pip", "install", "--help"], wide(here)));
  const storage = sandbox.newFolder("pypi");
  const token = randomUUID();
  const serve = join(registriesFolder, "python", "serve.py");
  const port = await sandbox.serve(join(python, "python3"), [serve, storage, uplink, manifest().name, token], {
    cwd: sandbox.folder,
    env: sandbox.home("python-index"),
  });
  const address = `http://127.0.0.1:${port}/`;
  const publisher = sandbox.home("python-publisher");
  const env = { ...publisher, PATH: [python, publisher["PATH"]].join(delimiter), TWINE_USERNAME: "__token__" };
  return {
    name: "pypi",
    address,
    env: { ...env, TWINE_PASSWORD: token },
    wrongCredentials: { ...env, TWINE_PASSWORD: "wrong" },
    differences: [
      "PyPI: `twine` with a token, as only a pipeline of the forge can be trusted without one",
      "PyPI: the local index sends pip to the configured one for packages other than ours",
      ...pip.left.map(
        (name) => `PyPI: pip's setting \`${name}\` is left out: it could name another package of our name`,
      ),
    ],
    storage,
    pip: {
      ...pip.env,
      PIP_CONFIG_FILE: process.platform === "win32" ? "nul" : "/dev/null",
      PIP_INDEX_URL: `${address}simple/`,
    },
  };
}

/** Help in one line per sentence: pip breaks its lines at the width of the terminal, addresses too. */
const wide = (place: Place): Place => ({ ...place, env: { ...place.env, COLUMNS: "2000" } });

/** The folder of the programs `python3` and `twine`, in a virtual environment of their own. */
async function installPrograms(sandbox: Sandbox, here: Place): Promise<string> {
  const folder = await installed("python", ["requirements.txt"], async (target) => {
    await sandbox.run("python3", ["-m", "venv", join(target, "venv")], here);
    const install = ["-m", "pip", "install", "--quiet", "--requirement", join(target, "requirements.txt")];
    await sandbox.run(join(target, "venv", "bin", "python3"), install, here);
  });
  return join(folder, "venv", "bin");
}
