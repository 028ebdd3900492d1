import { App, type AppOptions } from 'blazon'
import { type AppDescription, removeDescriber, setDescriber } from '../../src/app/describer.js'

/** An application that is only read, as by the command line. */
export interface ReadApp {
  readonly app: App
  readonly description: AppDescription
  /** The applications that something has tried to start. */
  readonly starting: readonly object[]
}

/** Constructs an application as in a process of the command line, which never starts it. */
export async function readApp(options: AppOptions): Promise<ReadApp> {
  const starting: object[] = []
  const found: AppDescription[] = []
  setDescriber({
    declared: (_app, description) => void found.push(description),
    starting: (app) => void starting.push(app),
    loaded() {},
  })
  try {
    const app = new App(options)
    const [description] = found as [AppDescription]
    await description.load()
    return { app, description, starting }
  } finally {
    removeDescriber()
  }
}
