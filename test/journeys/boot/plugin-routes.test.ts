import { All, Controller, Get, Head, type Plugin, Post } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

@Controller('taken')
class TakenController {
  @All('any') any() {}
  @Head('head') head() {}
  @Post('post') post() {}
  @Get(':id') one() {}
}

const controllers = [TakenController]
const adding = (name: string, ...paths: string[]): Plugin => ({
  name,
  routes: () => paths.map((path) => ({ path, handle: (_req, res) => res.send(name) })),
})

describe('the routes of plugins', () => {
  it('conflict with GET, HEAD and @All routes on the same path, and with each other', async () => {
    const paths = ['any', 'head', 'post', 'other'].map((name) => `/taken/${name}`)
    const plugins = [adding('first', ...paths), adding('second', '/TAKEN/Post')]
    const problems = await bootProblems({ controllers, plugins })
    expect(problems.map(({ code, subject, cause }) => [code, subject, cause])).toEqual([
      [
        'E_ROUTE_DUPLICATE',
        'TakenController.any',
        "ALL /taken/any conflicts with the GET route of the plugin 'first'.",
      ],
      [
        'E_ROUTE_DUPLICATE',
        'TakenController.head',
        "HEAD /taken/head conflicts with the GET route of the plugin 'first'.",
      ],
      [
        'E_ROUTE_DUPLICATE',
        "plugin 'second'",
        "GET /TAKEN/Post is already handled by the plugin 'first'.",
      ],
    ])
    expect(problems[0]?.remedy).toBe("Move the route, or configure the plugin 'first'.")
  })

  it('conflict with every path of a document', async () => {
    for (const path of ['/api-docs', '/api-docs.json', '/api-docs.yaml']) {
      const [problem] = await bootProblems({ plugins: [adding('first', path)] })
      expect(problem?.cause).toBe(`GET ${path} is already handled by the documentation.`)
    }
    await using app = await TestApp.create({
      plugins: [adding('first', '/api-docs')],
      swagger: false,
    })
    expect(await (await app.fetch('/api-docs')).text()).toBe('first')
  })

  it('can have the path /, and can be null', async () => {
    const none: Plugin = { name: 'none', routes: () => null as never }
    await using app = await TestApp.create({ plugins: [adding('first', '/'), none] })
    expect(await (await app.fetch('/')).text()).toBe('first')
  })

  it('respond with 500, and log the error, whatever they throw', async () => {
    const plugin: Plugin = {
      name: 'failing',
      routes: () =>
        [new Error('broken'), undefined].flatMap((error, at) => [
          { path: `/rejects/${at}`, handle: () => Promise.reject(error) },
          {
            path: `/throws/${at}`,
            handle() {
              throw error
            },
          },
        ]),
    }
    await using app = await TestApp.create({ plugins: [plugin], contract: 'off' })
    for (const path of ['/rejects/0', '/throws/0', '/rejects/1', '/throws/1']) {
      expect([path, (await app.fetch(path)).status]).toEqual([path, 500])
    }
    expect(app.logs.filter(({ level }) => level === 'error')).toHaveLength(4)
  })

  it.each([
    ['a string', '/status', 'It returned a value of type string.'],
    ['an object', {}, 'It returned a value of type object.'],
    ['a promise', Promise.resolve([]), 'It returned a promise.'],
  ])('prevent the start if the plugin returns %s', async (_, returned, cause) => {
    const plugin = { name: 'wrong', routes: () => returned } as unknown as Plugin
    const problems = await bootProblems({ plugins: [plugin] })
    expect(problems).toMatchObject([
      { code: 'E_OPTION_INVALID', subject: "plugin 'wrong', routes", cause },
    ])
  })

  it.each([
    ['status', 'it does not begin with a slash'],
    [7, 'it does not begin with a slash'],
    ['/status/', 'it ends with a slash'],
    ['/*rest', 'it cannot contain parameters or wildcards'],
  ])('prevent the start if their path is %j', async (path, syntax) => {
    const [problem] = await bootProblems({ plugins: [adding('wrong', path as string)] })
    expect(problem).toMatchObject({
      code: 'E_PATH_SYNTAX',
      subject: "plugin 'wrong'",
      cause: `\`routes\` returns the path ${JSON.stringify(path)}: ${syntax}.`,
    })
  })
})
