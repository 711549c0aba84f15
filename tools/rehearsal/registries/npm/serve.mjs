// An npm registry on this machine. It has our package from publications alone and takes all others from `uplink`.
// It prints its port, and ends when stdin does, so that it never outlives the process that started it.
import { createRequire } from "node:module";
import { join } from "node:path";

const [installation, storage, ours, uplink] = process.argv.slice(2);
const { runServer } = createRequire(join(installation, "package.json"))("verdaccio");

const server = await runServer({
  configPath: join(storage, "config.yaml"),
  storage,
  auth: { htpasswd: { file: join(storage, "htpasswd"), max_users: 1 } },
  uplinks: { configured: { url: uplink, timeout: "60s" } },
  packages: {
    // Without a proxy: a package of that name elsewhere is never looked up.
    [ours]: { access: "$all", publish: "$authenticated" },
    "**": { access: "$all", proxy: "configured" },
  },
  log: { type: "stderr", format: "pretty", level: "error" },
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit(0));
