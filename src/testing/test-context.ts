import { AsyncLocalStorage } from 'node:async_hooks'

/** What runs for an application under test: a request, or its start. */
export interface Operation {
  /** The application's own watch, which tells it from all others. */
  readonly owner: object
  /** As a message names it: `GET /users/1`. */
  readonly name: string
  /** The connection of a request, at the server's end. */
  readonly connection?: object
}

/** In whose behalf the code runs that asks; whatever it sets going later included. */
export const operations: AsyncLocalStorage<Operation> = new AsyncLocalStorage()
