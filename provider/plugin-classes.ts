export * from "./errors";
export * from "./sdk/plugin";
