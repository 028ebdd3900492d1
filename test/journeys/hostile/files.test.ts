import { Controller, defineControllers, Get, type Request, type Response } from 'blazon'
import serveStatic from 'serve-static'
import { describe, expect, it } from 'vitest'
import { expectFailure, start } from './listening-app.js'
import { exchange, request } from './raw-connection.js'

const root = import.meta.dirname

@Controller()
class FilesController {
  @Get('files/:name')
  file(req: Request, res: Response) {
    res.sendFile(req.params.name, { root })
  }

  @Get('downloads/:name')
  download(req: Request, res: Response) {
    res.download(req.params.name, 'name.txt', { root })
  }

  @Get('views/:name')
  view(req: Request, res: Response) {
    res.render(req.params.name)
  }
}

const controllers = defineControllers(FilesController)
const pass = (_req: Request, _res: Response, next: () => void) => next()

describe('a file that cannot be sent', () => {
  it.each([
    ['no middleware', []],
    ['a middleware', [pass]],
  ])('results in an immediate error response, with %s', async (_, middlewares) => {
    const { port } = await start({ controllers, middlewares })
    for (const [target, status, code] of [
      ['/files/missing.txt', 404, 'NOT_FOUND'],
      ['/files/..%2f..%2fpackage.json', 403, 'FORBIDDEN'],
      ['/files/.git', 404, 'NOT_FOUND'],
      ['/files/..', 403, 'FORBIDDEN'],
      ['/files/.', 404, 'NOT_FOUND'],
      ['/downloads/missing.txt', 404, 'NOT_FOUND'],
      ['/views/missing', 500, 'INTERNAL_SERVER_ERROR'],
    ] as const) {
      const [answer] = await exchange(port, request(target))
      expectFailure(answer, status, code)
      expect(answer?.text).not.toMatch(/ENOENT|stat |hostile/)
    }
  })

  it('results in an error without its path if serve-static passes the error on', async () => {
    const middlewares = [serveStatic(root, { fallthrough: false })]
    const { port } = await start({ controllers, middlewares })
    const [answer] = await exchange(port, request('/missing.txt'))
    expect(expectFailure(answer, 404, 'NOT_FOUND')['message']).toBe('Not Found')
  })
})
