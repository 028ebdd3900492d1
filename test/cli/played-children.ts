import childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished, vi } from 'vitest'

/** A child process that does not exist: the test decides what it sends, and when it ends. */
export class PlayedChild extends EventEmitter {
  connected = true
  exitCode: number | null = null
  signalCode: string | null = null
  /** The messages to the child, without their envelope. */
  readonly received: unknown[] = []
  /** The signals to the child; `group SIGKILL` if they were sent to its process group. */
  readonly signals: string[] = []

  constructor(
    /** `undefined` if the process could not be started. */
    public pid: number | undefined,
    readonly args: readonly string[],
    readonly options: childProcess.SpawnOptions,
    /** The program, or the module that Node runs. */
    readonly program: string,
  ) {
    super()
  }

  send(message: { readonly blazon?: unknown }): boolean {
    this.received.push(message.blazon ?? message)
    this.emit('received', this.received.at(-1))
    return true
  }

  /** Sends a message to the command. */
  say(blazon: object): void {
    this.emit('message', { blazon })
  }

  kill(signal: string): boolean {
    this.signals.push(signal)
    return true
  }

  disconnect(): void {
    this.connected = false
    this.emit('disconnect')
  }

  exit(code: number | null, signal: string | null = null): void {
    this.exitCode = code
    this.signalCode = signal
    this.connected = false
    for (const event of ['exit', 'close'] as const) this.emit(event, code, signal)
    this.emit('disconnect')
  }
}

/** No process has such a number. */
const FIRST_PID = 100_000_000

/** A report of the process that reads an application, or a function that returns it for a job. */
export type Answer = object | ((job: { readonly kind: string }) => object)

/** Plays processes that read an application: each answers its job with a report. */
export function playReaders(answer: Answer): PlayedChild[] {
  return playChildren((child) => {
    child.once('received', (job) => {
      setImmediate(() => child.say(typeof answer === 'function' ? answer(job) : answer))
    })
  })
}

/**
 * Until the end of the test, every process that this process starts is a {@link PlayedChild}. A child whose process
 * group receives SIGKILL ends.
 *
 * @param started Called with each child.
 * @returns the children in the order of their start.
 */
export function playChildren(started: (child: PlayedChild) => void = () => {}): PlayedChild[] {
  const children: PlayedChild[] = []
  const make = (program: string, args: readonly string[], options: childProcess.SpawnOptions) => {
    const child = new PlayedChild(FIRST_PID + children.length, args, options, program)
    children.push(child)
    started(child)
    return child as never
  }
  const real = process.kill.bind(process)
  const spies = [
    vi.spyOn(childProcess, 'spawn').mockImplementation(make as never),
    vi.spyOn(childProcess, 'fork').mockImplementation(make as never),
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      const child = children.find((each) => each.pid !== undefined && each.pid === -pid)
      if (child === undefined) return real(pid, signal)
      child.signals.push(`group ${signal}`)
      const isRunning = child.exitCode === null && child.signalCode === null
      if (isRunning) setImmediate(() => child.exit(null, String(signal)))
      return true
    }),
  ]
  // Modules import the functions by name.
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  })
  return children
}
