import { vi } from 'vitest'

const EVENTS = ['message', 'disconnect', 'uncaughtExceptionMonitor', 'SIGHUP'] as const
type Listener = (...args: readonly unknown[]) => void

/** A preload module, which runs when it is imported. */
export interface Preload {
  /** The messages to the command, without their envelope. */
  readonly sent: unknown[]
  /** Sends a message to the module. */
  readonly say: (blazon: unknown) => void
  /** Calls the module's listeners of an event. */
  readonly emit: (event: (typeof EVENTS)[number], ...args: readonly unknown[]) => void
  /** What the module has defined globally, by the description of its symbol. */
  readonly defined: Readonly<Record<string, unknown>>
}

/**
 * Imports a preload module, and takes its listeners and its global values back, because other files share this process.
 * Call it once for each module, in `beforeAll`: a module runs only once.
 */
export async function loadPreload(
  variables: Readonly<Record<string, string>>,
  load: () => Promise<unknown>,
): Promise<Preload> {
  const listenersOf = (event: string) => process.listeners(event as 'exit') as Listener[]
  const before = new Map(EVENTS.map((event) => [event, listenersOf(event)]))
  const sent: unknown[] = []
  const note = (message: unknown) => sent.push((message as { blazon: unknown }).blazon) > 0
  vi.spyOn(process, 'send').mockImplementation(note as never)
  const defined: Record<string, unknown> = {}
  const define = Object.defineProperty
  const spy = vi.spyOn(Object, 'defineProperty').mockImplementation((target, key, given) => {
    if (target !== globalThis) return define(target, key, given)
    defined[(key as symbol).description ?? ''] = given.value
    return target
  })
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  await load()
  spy.mockRestore()
  const added = new Map(
    EVENTS.map((event) => {
      const own = listenersOf(event).filter((each) => before.get(event)?.includes(each) === false)
      for (const each of own) process.off(event, each)
      return [event, own] as const
    }),
  )
  const emit: Preload['emit'] = (event, ...args) => {
    for (const listener of added.get(event) ?? []) listener(...args)
  }
  return { sent, defined, emit, say: (blazon) => emit('message', { blazon }) }
}
