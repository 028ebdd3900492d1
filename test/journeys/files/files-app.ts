import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ApiResponseDoc,
  App,
  type AppOptions,
  Cache,
  Controller,
  fileResponse,
  Get,
  HttpCode,
  Post,
  type Request,
} from 'blazon'
import { onTestFinished } from 'vitest'

/** What `GET /made` returns, and the folder of `GET /files/*`. */
export const state: { make: (req: Request) => unknown; root: string } = {
  make: () => undefined,
  root: '',
}

@Controller()
export class FilesController {
  @ApiResponseDoc({ status: 200, content: 'text/plain' })
  @Get('files/*path')
  file(req: Request) {
    const { path } = req.params as unknown as { path: string }
    return fileResponse(String(path), { root: state.root })
  }

  @Get('made')
  made(req: Request) {
    return state.make(req)
  }

  @ApiResponseDoc({ status: 200, content: 'image/png' })
  @Get('picture')
  picture(req: Request) {
    return state.make(req)
  }

  @Cache({ ttl: 60 })
  @Get('cached')
  cached(req: Request) {
    return state.make(req)
  }

  @HttpCode(201)
  @Post('made')
  post(req: Request) {
    return state.make(req)
  }
}

/** Makes a folder that is removed after the test, and writes these files into it. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'blazon-files-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  state.root = path
  return path
}

/** A running application. */
export interface Served {
  readonly port: number
  readonly url: string
  readonly errors: { readonly err: Error }[]
}

/** Listens until the test is finished. */
export async function serve(options: AppOptions = {}): Promise<Served> {
  const errors: { err: Error }[] = []
  const error = (facts: object) => void errors.push(facts as { err: Error })
  const logger = { info() {}, warn() {}, error }
  const app = await App.create({ controllers: [FilesController], logger, ...options })
  const { port } = await app.listen(0, '127.0.0.1')
  onTestFinished(() => app.close())
  return { port, url: `http://127.0.0.1:${port}`, errors }
}

/** Opens a connection, and reads nothing yet. */
export async function open({ port }: Served, path: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

/** The open files of this process below a folder. */
export function openBelow(root: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(root) ? [target] : []
    } catch {
      // It was closed meanwhile.
      return []
    }
  })
}
