// For scripts that run before anything is installed, and take neither flags nor arguments.

/** Ends this process where it has been started with any. */
export function refuseArguments(command, about) {
  const args = process.argv.slice(2);
  if (args.length === 0) return;
  const usage = `Usage: ${command}\n\n${about}`;
  if (args.includes("--help")) {
    console.log(usage);
    process.exit(0);
  }
  console.error(`\`${command}\` does not take \`${args.join(" ")}\`.\n\n${usage}`);
  process.exit(64);
}
