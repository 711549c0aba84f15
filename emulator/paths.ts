/** Where the control plane's paths begin. */
export const controlPrefix = "/_emulator/";

/** Where the paths of uploaded files begin. */
export const uploadPrefix = `${controlPrefix}uploads/`;

export const isUpload = (method: string, path: string): boolean => method === "PUT" && path.startsWith(uploadPrefix);
