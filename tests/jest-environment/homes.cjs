// Folders of the user that this package, the Pulumi CLI and other programs write into. Each suite has its own.
// Decision 043.
const { mkdirSync, mkdtempSync, rmSync, statSync, readdirSync } = require("node:fs");
const { homedir, tmpdir } = require("node:os");
const { join } = require("node:path");

/** What programs find below the user's folders that tests do not write: registries, packages and compilers. */
const shared = ({ home, cache }) => ({
  npm_config_userconfig: join(home, ".npmrc"),
  npm_config_cache: join(home, ".npm"),
  GOPATH: join(home, "go"),
  GOCACHE: join(cache, "go-build"),
  PYENV_ROOT: join(home, ".pyenv"),
});

const foldersOf = (env) => {
  const home = env.HOME || homedir();
  return {
    home,
    state: env.XDG_STATE_HOME || join(home, ".local", "state"),
    cache: env.XDG_CACHE_HOME || join(home, ".cache"),
  };
};

/** Folders of a suite's own, and the environment that names them. */
exports.createHomes = function createHomes() {
  const folder = mkdtempSync(join(tmpdir(), "suite-"));
  const home = join(folder, "home");
  mkdirSync(home);
  return {
    env: {
      HOME: home,
      XDG_STATE_HOME: join(folder, "state"),
      XDG_CACHE_HOME: join(folder, "cache"),
      // The Pulumi CLI asks the system for the home of its user.
      PULUMI_HOME: join(home, ".pulumi"),
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
};

/** Everything in the user's folders that a test could have written, with when that was. */
function written({ home, state, cache }) {
  const folders = [join(state, "pulumi-modelplatform"), join(cache, "pulumi-modelplatform"), join(home, ".pulumi")];
  return new Map(folders.flatMap(entriesOf));
}

function entriesOf(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const below = stat.isDirectory() ? readdirSync(path).flatMap((name) => entriesOf(join(path, name))) : [];
  return [[path, stat.mtimeMs], ...below];
}

/** Before the first suite: what the user's folders hold, and what suites go on sharing with the user. */
exports.rememberHomes = function rememberHomes() {
  const folders = foldersOf(process.env);
  const found = written(folders);
  for (const [name, path] of Object.entries(shared(folders))) process.env[name] ??= path;
  globalThis.changesAtHome = () => {
    const now = written(folders);
    return [...new Set([...found.keys(), ...now.keys()])].filter((path) => found.get(path) !== now.get(path));
  };
};
