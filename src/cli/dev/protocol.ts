import type { ReportedItem, WholeRecord } from '../../app/dev/dev-report.js'
import type { RouteExplanation } from '../../app/explain/explanation.js'

/** A message from the application's process to the command. */
export type ChildMessage =
  /** The URLs of modules that were loaded, or that an import did not find. */
  | { readonly kind: 'files'; readonly urls: readonly string[] }
  /** A folder whose files the application reads. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A server is about to listen and is waiting for `go`. */
  | { readonly kind: 'listen' }
  /** The server with the number `id` is listening. */
  | { readonly kind: 'listening'; readonly id: number; readonly port: number }
  /** The application needs a process that outlives its own process. `module` is a URL. */
  | ({ readonly kind: 'keep'; readonly id: number } & KeepRequest)
  /** The routes of an application that has started. This message and `request` are sent only for the dashboard. */
  | { readonly kind: 'routes'; readonly routes: readonly RouteExplanation[] }
  /** A request has ended. */
  | { readonly kind: 'request'; readonly request: WholeRecord }
  /** The reply to a query from the command. */
  | { readonly kind: 'reply'; readonly id: number; readonly reply: WorkReply }

/** A message from the command to the application's process. */
export type ParentMessage =
  /** The previous process has ended. */
  | ({ readonly kind: 'go' } & Ports)
  | { readonly kind: 'kept'; readonly id: number; readonly result: KeptResult }
  | { readonly kind: 'query'; readonly id: number; readonly query: WorkQuery }

/** A query about the work that plugins list: it requests all lists, or runs an action on an item in list `part`. */
export type WorkQuery =
  | { readonly do: 'list' }
  | { readonly do: 'act'; readonly part: number; readonly action: string; readonly item: string }

/** The reply: for `list`, the lists; for `act`, a message about the result; or the reason for a failure. */
export type WorkReply =
  | { readonly value: readonly WorkList[] | string }
  | { readonly message: string }

/** The work of one plugin. */
export interface WorkList {
  readonly title: string
  readonly items: readonly ReportedItem[]
}

/** The ports of a process's servers. */
export interface Ports {
  /** The port of the first server, which overrides the application's port. */
  readonly first: number | undefined
  /**
   * The ports of the previous process, in the order of its `listen` calls. A server with port 0 gets the same port
   * again.
   */
  readonly last: Readonly<Record<number, number>>
}

/** A request for a process that outlives the application's process. */
export interface KeepRequest {
  /** The URL of the module that the process runs. */
  readonly module: string
  readonly argument: string
}

/** The reply of a kept process: the paths of its socket and of a file in its folder, or the reason for a failure. */
export type KeptResult =
  | { readonly path: string; readonly marker: string }
  | { readonly message: string; readonly problems?: readonly unknown[] }

/** Returns the message in an envelope; `undefined` for messages from other code, which can use the same channel. */
export function opened<T>(message: unknown): T | undefined {
  return (message as { readonly blazon?: T } | null)?.blazon
}

/** The environment variable with the command's process ID, for the application's processes. */
export const PARENT_VARIABLE = 'BLAZON_DEV_PARENT'

/** The environment variable with which the command makes a process report its requests. */
export const REPORT_VARIABLE = 'BLAZON_DEV_REPORT'
