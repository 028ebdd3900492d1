import type { ErrorRequestHandler, MiddlewareList, Plugin, RequestHandler } from 'blazon'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { bootProblems, bootWarnings } from '../../support.js'
import { appsOfTest } from './support.js'

const { inProcess } = appsOfTest('off')

/** A middleware that adds its name to the notes. */
function noting(notes: unknown[], name: string): RequestHandler {
  return (_req, _res, next) => {
    notes.push(name)
    next()
  }
}

const GUARD = { canActivate: () => true }

describe('nested arrays in `middlewares`', () => {
  it('are flattened in order and to any depth, as by app.use() of Express', async () => {
    const [ours, theirs]: [string[], string[]] = [[], []]
    const report =
      (notes: string[]): ErrorRequestHandler =>
      (error, _req, res, _next) => {
        notes.push(`error ${(error as Error).message}`)
        res.status(418).end()
      }
    const fail: RequestHandler = (req, _res, next) =>
      next(req.path === '/fail' ? new Error('asked for') : undefined)
    const nested = (notes: string[]) => [
      noting(notes, 'a'),
      [noting(notes, 'b'), [[noting(notes, 'c')], express.Router().use(noting(notes, 'd'))], []],
      express().use(noting(notes, 'e')),
      [fail, report(notes)],
    ]
    const app = await inProcess({ middlewares: nested(ours) })
    expect((await app.request().get('/items')).status).toBe(200)
    expect((await app.request().get('/fail')).status).toBe(418)
    const host = await inProcess({ middlewares: [express().use(nested(theirs) as never)] })
    await host.request().get('/items')
    await host.request().get('/fail')
    expect(ours).toEqual(['a', 'b', 'c', 'd', 'e', 'a', 'b', 'c', 'd', 'e', 'error asked for'])
    expect(ours).toEqual(theirs)
  })

  it('are flattened in plugins, whose middlewares run last', async () => {
    const notes: string[] = []
    const plugin: Plugin = {
      name: 'notes',
      middlewares: [[noting(notes, 'plugin')], noting(notes, 'last')],
    }
    const app = await inProcess({ plugins: [plugin], middlewares: [[noting(notes, 'own')]] })
    await app.request().get('/items')
    expect(notes).toEqual(['own', 'plugin', 'last'])
  })

  it('cause boot errors with the index of each invalid entry', async () => {
    const middlewares = [[noting([], 'a'), [undefined]], null] as unknown as MiddlewareList
    const plugins = [{ name: 'broken', middlewares: [['none']] as unknown as MiddlewareList }]
    const problems = await bootProblems({ middlewares, plugins })
    expect(problems.map(({ code, subject, cause }) => [code, subject, cause])).toEqual([
      ['E_OPTION_INVALID', 'middlewares[0][1][0]', 'It is not a function: its type is undefined.'],
      ['E_OPTION_INVALID', 'middlewares[1]', 'It is not a function: its type is null.'],
      [
        'E_OPTION_INVALID',
        "plugin 'broken', middlewares[0][0]",
        'It is not a function: its type is string.',
      ],
    ])
  })

  it('cause the warning W_TENANT_ROUTER if they contain a plain Express router', async () => {
    const router = express.Router().get('/rows', (_req, res) => void res.end())
    const warnings = await bootWarnings({
      auth: { guard: GUARD },
      tenant: { authorize: () => true },
      middlewares: [[[router]]],
    })
    const texts = warnings.filter(({ code }) => code === 'W_TENANT_ROUTER').map(({ text }) => text)
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('middlewares[0][0][0]')
  })
})
