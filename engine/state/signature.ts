/** What marks an object as a secret, on the wire and in a file. */
export const secretSignature = {
  key: "4dabf18193072939515e22adb298388d",
  value: "1b47061264138c4ac30d75fd1eb44270",
} as const;
