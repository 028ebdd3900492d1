import { EventEmitter } from 'node:events'

/** A worker without a process: the test decides what happens to it. */
export class FakeWorker extends EventEmitter {
  /** What the primary has called, as `end SIGTERM true`. */
  readonly called: string[] = []
  readonly process: EventEmitter & { pid: number }

  constructor(pid: number) {
    super()
    const send = ({ blazon }: { blazon: { name?: string; args?: unknown[] } }) => {
      if (blazon.name !== undefined)
        this.called.push([blazon.name, ...(blazon.args ?? [])].join(' '))
      return true
    }
    const kill = (signal: string) => this.exit(null, signal)
    this.process = Object.assign(new EventEmitter(), { pid, send, kill })
  }

  /** Calls `note` of the primary. */
  async note(facts: object): Promise<void> {
    this.process.emit('message', { blazon: { id: 1, name: 'note', args: [facts] } })
    await microtasks()
  }

  async serve(facts: object = {}): Promise<void> {
    await this.note({ listens: true, isReady: true, ...facts })
  }

  async exit(status: number | null, signal: string | null = null): Promise<void> {
    this.emit('exit', status, signal)
    await microtasks()
  }
}

/** Lets everything run that waits for promises. */
export async function microtasks(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}
