import { App, type AppOptions } from 'blazon'

/** Starts an application, and closes it after `use`. */
export async function withServer<T>(
  options: AppOptions,
  use: (origin: string) => Promise<T>,
): Promise<T> {
  const app = new App(options)
  const { port } = await app.listen(0, '127.0.0.1')
  try {
    return await use(`http://127.0.0.1:${port}`)
  } finally {
    await app.close()
  }
}
