// Loaded into a plugin's process: tells the processor time that it has used so far to whoever asks.
process.on("message", () => process.send(process.cpuUsage()));
process.channel.unref();
