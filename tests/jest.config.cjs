const { esmOnly } = require("./jest-environment/packages.cjs");

module.exports = {
  rootDir: "..",
  roots: ["<rootDir>/tests"],
  testMatch: ["**/*.test.ts"],
  // Longer runs, which `npm run test:nightly` is for. Tests that it runs beside
  // those of a normal run are told in `nightly.ts`.
  testPathIgnorePatterns: ["/node_modules/", "\\.nightly\\.test\\.ts$"],
  testEnvironment: "<rootDir>/tests/jest-environment/environment.cjs",
  globalSetup: "<rootDir>/tests/jest-environment/before.cjs",
  globalTeardown: "<rootDir>/tests/jest-environment/after.cjs",
  runtime: "<rootDir>/tests/jest-environment/runtime.cjs",
  maxWorkers: "100%",
  // A worker keeps what its suites have loaded: one that has grown beyond this gives way to a new one.
  workerIdleMemoryLimit: "768MB",
  // No test depends on speed: this only ends one that hangs.
  testTimeout: 300_000,
  // Concurrent tests run whole programs, each in several processes.
  maxConcurrency: 2,
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      { jsc: { target: "es2022", parser: { syntax: "typescript" } }, module: { type: "commonjs" } },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esmOnly.join("|")})/)`, "/dist/"],
  moduleNameMapper: {
    // It exports itself for `import` alone.
    "^@actions/expressions$": "<rootDir>/node_modules/@actions/expressions/dist/index.js",
    "^fast-check$": "<rootDir>/tests/jest-environment/fast-check.cjs",
  },
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
};
