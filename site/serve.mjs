// npm run docs [-- --port <number>]: the site on loopback. A change of a page is seen at once.
import { watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createServer } from 'vitepress'
import { makeReference } from './reference.mjs'
import { root, stage } from './stage.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const pages = join(here, '.cache/pages')
const { values } = parseArgs({ options: { port: { type: 'string', default: '5173' } } })

const api = makeReference()
stage(pages, api)

/** Several events of one save are one change. */
let planned
for (const folder of ['docs', 'docs/tutorial']) {
  watch(join(root, folder), () => {
    clearTimeout(planned)
    planned = setTimeout(() => stage(pages, api), 50)
  })
}

const server = await createServer(here, { host: '127.0.0.1', port: Number(values.port) })
await server.listen()
server.printUrls()
