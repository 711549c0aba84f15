/** `0.4s`, `12s`, `1m 12s`, `2h 05m`. Seconds have a decimal below ten. */
export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  return formatElapsed(ms);
}

/** Like `formatDuration`, in whole seconds, for numbers that are redrawn often. */
export function formatElapsed(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${pad(minutes % 60)}m`;
}

const pad = (value: number): string => String(value).padStart(2, "0");

/** Time of day in UTC, `12:00:01Z`. `time` is in milliseconds since 1970. */
export const formatTime = (time: number): string => `${new Date(time).toISOString().slice(11, 19)}Z`;
