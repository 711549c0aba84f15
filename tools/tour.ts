import { tour } from "../cli/tour";
import { runScript, type Script } from "./script";

const script = {
  command: "npm start",
  about: "Shows the main job from end to end, on an emulator of this package. What it writes, it removes.",
} satisfies Script;

if (require.main === module) void runScript(script, tour);
