import { expect } from 'vitest'
import type { RequestView, SnapshotView } from '../../../src/cli/dev/dashboard/views.js'

/** What a browser of the dashboard reads. */
export class Reader {
  readonly #origin: string
  readonly #headers: { readonly authorization: string }

  constructor(url: string) {
    const { origin, hash } = new URL(url)
    this.#origin = origin
    this.#headers = { authorization: `Bearer ${hash.replace('#token=', '')}` }
  }

  async read<T>(path: string, method = 'GET'): Promise<T> {
    const response = await fetch(`${this.#origin}${path}`, { method, headers: this.#headers })
    return (await response.json()) as T
  }

  /** The first event of the stream. */
  async snapshot(): Promise<SnapshotView> {
    const response = await fetch(`${this.#origin}/data/events`, { headers: this.#headers })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    let text = ''
    while (!text.includes('\n\n')) {
      const { value } = await reader.read()
      text += new TextDecoder().decode(value)
    }
    await reader.cancel()
    return JSON.parse(/^event: snapshot\ndata: (.*)$/m.exec(text)?.[1] ?? '') as SnapshotView
  }

  /** Waits for a request to be reported, and reads it. */
  async find(method: string, url: RegExp): Promise<RequestView> {
    const row = await expect
      .poll(async () => {
        const { requests } = await this.snapshot()
        return requests.findLast((each) => each.method === method && url.test(each.url))
      })
      .toBeDefined()
      .then(async () => (await this.snapshot()).requests)
    const found = row.findLast((each) => each.method === method && url.test(each.url))
    return await this.read(`/data/requests/${found?.number}`)
  }
}
