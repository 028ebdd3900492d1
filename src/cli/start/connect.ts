import type { ChildProcess } from 'node:child_process'

/** The environment variable that makes a process a worker: a {@link WorkerPlace} as JSON. */
export const PLACE_VARIABLE = 'BLAZON_WORKER'

/** The data that a worker receives when it starts. */
export interface WorkerPlace {
  readonly workers: number
  /** Whether the worker logs the lines that are the same for all workers. */
  readonly isSpeaker: boolean
  /** The interval of the worker's heartbeat, in milliseconds; 0 for no heartbeat. */
  readonly beatMs: number
}

/** The functions that another process can call, by name. */
export type Functions = Readonly<Record<string, (...args: never[]) => unknown>>

/** Calls a function in another process. The promise stays pending if that process ends first. */
export type Call = (name: string, ...args: unknown[]) => Promise<unknown>

/** A call or a reply, in a property that distinguishes it from the application's messages. */
interface Message {
  readonly blazon: { id?: number; name?: string; args?: unknown[]; reply?: unknown }
}

/**
 * Lets the process at the other end of an IPC channel call `functions`. Returns a function that calls that process's
 * functions.
 */
export function connect(process: ChildProcess | NodeJS.Process, functions: Functions): Call {
  const other = process as ChildProcess
  const waiting = new Map<number, (reply: unknown) => void>()
  // A send error means that the other process has ended, so it is ignored.
  const send = (blazon: Message['blazon']) => void other.send({ blazon }, undefined, {}, () => {})
  let calls = 0
  other.on('message', async (message: unknown) => {
    const { id = 0, name, args = [], reply } = (message as Partial<Message> | null)?.blazon ?? {}
    if (name !== undefined)
      return send({ id, reply: await functions[name]?.(...(args as never[])) })
    waiting.get(id)?.(reply)
    waiting.delete(id)
  })
  return (name, ...args) => {
    calls += 1
    send({ id: calls, name, args })
    return new Promise((resolve) => waiting.set(calls, resolve))
  }
}
