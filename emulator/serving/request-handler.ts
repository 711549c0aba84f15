import { messageOf } from "../../provider/core/errors";
import type { Control, ControlRequest } from "../control/control";
import type { UploadRequest } from "../uploads";
import type { Exchange, WireRequest } from "../wire/exchange";
import { type Reply, replyTo } from "../wire/replies";

/** Entry point for requests, from sockets or from within the process. */
export interface RequestHandler {
  /** Never throws and never rejects. */
  api(request: WireRequest): Reply | Promise<Reply>;
  /** Never throws and never rejects. */
  control(request: ControlRequest): Reply | Promise<Reply>;
  /** A file for the emulator's store. Never throws and never rejects. */
  upload(request: UploadRequest): Promise<Reply>;
  /** Receives bugs of the emulator itself. */
  onError(error: unknown): void;
}

export interface Answering {
  exchange: Exchange;
  control: Control;
  uploads: (request: UploadRequest) => Promise<Reply>;
}

interface RequestHandlerParts {
  /** Called by each request. */
  answering: () => Answering;
  sync: (() => Promise<void> | undefined) | undefined;
  onError: (error: unknown) => void;
}

export function createRequestHandler({ answering, sync, onError }: RequestHandlerParts): RequestHandler {
  const errorReply = (error: unknown): Reply => {
    onError(error);
    return replyTo({
      status: 500,
      body: { code: 13, message: `the emulator failed: ${messageOf(error)}`, details: [] },
    });
  };
  const catchErrors = (answer: () => Reply | Promise<Reply>): Reply | Promise<Reply> => {
    try {
      const reply = answer();
      return reply instanceof Promise ? reply.catch(errorReply) : reply;
    } catch (error) {
      return errorReply(error);
    }
  };
  return {
    api: (request) => catchErrors(() => answering().exchange.handle(request)),
    control: (request) =>
      catchErrors(() => {
        const reply = replyTo(answering().control(request));
        return sync?.()?.then(() => reply) ?? reply;
      }),
    upload: async (request) => {
      try {
        const reply = await answering().uploads(request);
        await sync?.();
        return reply;
      } catch (error) {
        return errorReply(error);
      }
    },
    onError,
  };
}
