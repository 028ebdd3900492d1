import type { RequestRecord } from '../../contracts/request-record.js'

/** What the command uses of `blazon/testing`, which it imports from the packages of the application. */
export interface TestingDoor {
  readonly TestApp: { create(options: object): Promise<ReplayApp> }
}

/** What the command uses of a `TestApp`. */
export interface ReplayApp extends ReplayCaller {
  readonly clock: { set(date: number): void }
  as(user: object): ReplayCaller
  explain(response: object): RequestRecord
}

/** What the command uses of a caller. */
export interface ReplayCaller {
  asTenant(id: string): ReplayCaller
  request(): Readonly<Record<string, (url: string) => ReplayRequest>>
}

/** A request of supertest. */
export interface ReplayRequest extends PromiseLike<{ readonly status: number }> {
  set(name: string, value: string): this
  send(body: string): this
}
