import type { RouteExplanation } from '../../app/explain/explanation.js'
import type { ProblemView, ReportedRequest } from './dashboard/views.js'

/** The address at which a server of the application wants to listen. */
export interface Place {
  readonly port: number
  /** A host name or address; `undefined` is all addresses of the machine. */
  readonly host?: string | undefined
}

/** The address of a socket that listens, as `server.address()` returns it. */
export interface Address {
  readonly address: string
  readonly family: string
  readonly port: number
}

/** An error of Node, as it crosses the channel between two processes. */
export interface PlainError {
  readonly message: string
  readonly code?: string | undefined
  readonly syscall?: string | undefined
}

/** An error that ended a process before one of its servers listened. */
export interface BootError {
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly code?: string | undefined
  /** Where the classes and methods are that a `ConfigError` names. Default: they are not known. */
  readonly places?: readonly NamedPlace[] | undefined
}

/** The place of a class or method: of its first decorator. */
export interface NamedPlace {
  /** `UsersController.getById`. */
  readonly name: string
  /** An absolute path. */
  readonly path: string
  readonly line: number
}

/** A message of the application's process to the command. */
export type ChildMessage =
  /** Files that were loaded, and paths of imports that do not exist. */
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  /** A folder that the application reads at its start: its files with this ending. */
  | { readonly kind: 'folder'; readonly folder: string; readonly ending: string }
  | { readonly kind: 'listen'; readonly id: number; readonly place: Place }
  | { readonly kind: 'listening' }
  | { readonly kind: 'failed'; readonly error: BootError }
  /** A part of stderr, until the first server listens. */
  | { readonly kind: 'output'; readonly text: string }
  /** The application asks for a process that outlives it: `module` is a URL. */
  | {
      readonly kind: 'keep'
      readonly id: number
      readonly module: string
      readonly argument: string
    }
  | { readonly kind: 'inspector-closed' }
  /** The routes of an application that has started. Only for the dashboard, as all that follow. */
  | { readonly kind: 'routes'; readonly routes: readonly RouteExplanation[] }
  | { readonly kind: 'warnings'; readonly warnings: readonly ProblemView[] }
  /** A request is over. */
  | { readonly kind: 'request'; readonly request: ReportedRequest }

/** A message of the command to the application's process. */
export type ParentMessage =
  | { readonly kind: 'door'; readonly id: number; readonly address: Address }
  | { readonly kind: 'no-door'; readonly id: number; readonly error: PlainError }
  /** Comes with a connection, for the server whose `listen` had this `id`. */
  | { readonly kind: 'connection'; readonly id: number }
  /** Respond to what has arrived, then end. */
  | { readonly kind: 'retire' }
  | { readonly kind: 'close-inspector' }
  | { readonly kind: 'kept'; readonly id: number; readonly result: KeptResult }

/** The reply of a process that is kept: the path of its socket, or why there is none. */
export type KeptResult =
  | { readonly path: string }
  | { readonly message: string; readonly problems?: readonly unknown[] }

/** Marks our messages: the application may use the same channel. */
export interface Envelope<T> {
  readonly blazon: T
}

/** The message of an envelope; `undefined` for messages of other code. */
export function opened<T>(message: unknown): T | undefined {
  return (message as Partial<Envelope<T>> | null)?.blazon
}

/** The environment variable that tells a process of the application the number of the command's process. */
export const PARENT_VARIABLE = 'BLAZON_DEV_PARENT'

/** The environment variable by which the command asks a process to report its requests. */
export const REPORT_VARIABLE = 'BLAZON_DEV_REPORT'
