import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../contracts/handler.js'

/** A request to an application under test, or the start of that application. */
export interface Operation {
  /** The `TestWatch` of the application. It identifies the application. */
  readonly owner: object
  /** The name for messages, such as `GET /users/1`. */
  readonly name: string
  /** The server's end of a request's connection. */
  readonly connection?: object
  /** The request object of the application. */
  readonly request?: Request
}

/** The operation of the current code. It also applies to all code that the operation starts. */
export const operations: AsyncLocalStorage<Operation> = new AsyncLocalStorage()
