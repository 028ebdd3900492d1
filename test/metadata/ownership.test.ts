import { Auth, Controller, Get, Injectable, Post, Public } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

const auth = { guard: { canActivate: () => false } }

/** A decorator of another package that replaces the method (standard dialect). */
function Logged<T>(method: () => T, _context: ClassMethodDecoratorContext): () => T {
  return function logged(this: unknown) {
    return method.call(this)
  }
}

// The undecorated base classes come first on purpose: the next decorated class must not get their facts.
class CrudBase {
  @Get('all') list() {
    return 'all'
  }
  @Public() @Get('status') status() {
    return 'status'
  }
}

class GuardedBase {
  @Logged @Auth() @Get('x') x() {
    return 'base'
  }
}

@Injectable()
class Unrelated {}

describe('the metadata of a class', () => {
  void Unrelated

  it('is not used for another class that has a method of the same name', async () => {
    @Auth()
    @Controller('admin')
    class Admin {
      @Post() create() {}
      list() {
        return 'internal'
      }
      status() {
        return 'secret'
      }
    }
    const app = await TestApp.create({ controllers: [Admin], auth })
    expect(app.getRouteTable().map(({ path }) => path)).toEqual(['/admin'])
    expect((await app.request().get('/admin/all')).status).toBe(404)
    await app.close()
  })

  it('stays with an undecorated base class when another class is decorated after it', async () => {
    @Controller('a')
    class Derived extends GuardedBase {
      @Get('x') override x() {
        return 'open'
      }
    }
    @Controller('b')
    class Crud extends CrudBase {}
    const app = await TestApp.create({ controllers: [Derived, Crud], auth })
    expect((await app.request().get('/a/x')).status).toBe(401)
    expect((await app.request().get('/b/all')).body.data).toBe('all')
    await app.close()
  })
})
