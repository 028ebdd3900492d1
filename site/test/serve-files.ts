import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
}

/** A folder behind HTTP on loopback, as any server of files shows it. */
export interface FileServer extends AsyncDisposable {
  readonly origin: string
}

/** Serves the files of a folder. */
export async function serveFiles(folder: string): Promise<FileServer> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url as string, 'http://localhost')
    const path = join(
      folder,
      decodeURIComponent(pathname),
      pathname.endsWith('/') ? 'index.html' : '',
    )
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
      res.writeHead(404).end()
      return
    }
    res.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
    createReadStream(path).pipe(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
