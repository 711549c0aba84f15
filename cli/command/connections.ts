import { defaultConcurrency } from "../../drift/scan/detect";

/** For one origin: every account reads several collections at a time. */
const connectionsPerAccount = 4;
const mostConnections = 512;

/** Connections for a scan that reads so many accounts at once. */
export const connectionsFor = (concurrency = defaultConcurrency): number =>
  Math.min(mostConnections, concurrency * connectionsPerAccount);
