/** File descriptor of the process's end. */
const fd = 3;
/** Says that the pipe is there: what the process starts inherits the arguments, perhaps, but not this. */
const variable = "MODELPLATFORM_LIFELINE";

/** A process that listens for `disconnect` may finish its work first, for a while. */
const watcher = `
  import { Socket } from "node:net";
  import { isMainThread } from "node:worker_threads";
  const end = () => {
    if (!process.emit("disconnect")) process.exit(1);
    setTimeout(() => process.exit(1), 10_000).unref();
  };
  if (isMainThread && process.env.${variable}) {
    delete process.env.${variable};
    new Socket({ fd: ${fd} }).on("error", () => undefined).on("close", end).resume().unref();
  }
`;

/**
 * A pipe from the engine to each of its Node.js processes. Nothing is ever written to it: it closes when the engine is
 * gone, however it went, and the process ends. The SDK's own processes would notice by a failing call alone,
 * and one that waits for calls makes none.
 */
export const lifeline = {
  args: [`--import=data:text/javascript,${encodeURIComponent(watcher)}`],
  env: { [variable]: "1" },
  stdio: ["ignore", "pipe", "pipe", "pipe"],
} as const;
