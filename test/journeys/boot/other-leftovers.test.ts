import 'reflect-metadata'
import { type Class, Controller, Get } from 'blazon'
import { describe, expect, it } from 'vitest'
import { bootProblems } from '../../support.js'

function makeController(): Class {
  @Controller('users')
  class UsersController {
    @Get() list() {
      return []
    }
  }
  return UsersController
}

// The metadata that these packages write, copied from their sources; none of them is installed.
describe('metadata of other frameworks', () => {
  it.each<[string, (target: Class) => void, string]>([
    [
      'tsed',
      (target) => Reflect.defineMetadata('tsed:method:store', new Map(), target, 'list'),
      'UsersController.list',
    ],
    [
      'inversify-express-utils',
      (target) =>
        Reflect.defineMetadata('inversify-express-utils:controller', { middleware: [] }, target),
      'UsersController',
    ],
    [
      'loopback',
      (target) =>
        Reflect.defineMetadata('loopback:authentication.method', { list: {} }, target.prototype),
      'UsersController',
    ],
    [
      'authGuards',
      (target) => Reflect.defineMetadata('authGuards', [], target.prototype, 'list'),
      'UsersController.list',
    ],
    [
      'middlewares',
      (target) => Reflect.defineMetadata('route:middlewares', [], target.prototype.list),
      'UsersController.list',
    ],
  ])('causes an error: %s', async (name, write, subject) => {
    const target = makeController()
    write(target)
    const problems = await bootProblems({ controllers: [target] })
    expect(problems.map((problem) => [problem.code, problem.subject])).toEqual([
      ['E_FOREIGN_DECORATOR', subject],
    ])
    expect(problems[0]?.cause).toContain(name)
  })
})
