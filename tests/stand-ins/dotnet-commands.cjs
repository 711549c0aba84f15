// What `dotnet` takes, for the one command that the release uses. tests/README.md says where it was checked.
module.exports = {
  "nuget push": {
    flags: {
      ...{ "--disable-buffering": "switch", "-d": "--disable-buffering", "--force-english-output": "switch" },
      ...{ "--interactive": "switch", "--api-key": "text", "-k": "--api-key", "--no-symbols": "switch" },
      ...{ "-n": "--no-symbols", "--no-service-endpoint": "switch", "--source": "text", "-s": "--source" },
      ...{ "--skip-duplicate": "switch", "--symbol-api-key": "text", "-sk": "--symbol-api-key" },
      ...{ "--symbol-source": "text", "-ss": "--symbol-source", "--timeout": "text", "-t": "--timeout" },
      ...{ "--allow-insecure-connections": "switch", "--configfile": "file" },
    },
    ...{ args: [1, 1], filesFrom: 0 },
  },
};
