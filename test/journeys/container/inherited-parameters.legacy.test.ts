import 'reflect-metadata'
import { App, Controller, Get, Inject, Injectable, InjectionToken } from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'

const Name = new InjectionToken<string>('Name')
const Other = new InjectionToken<string>('Other')
const providers = [
  { token: Name, useValue: 'Ada' },
  { token: Other, useValue: 'Bob' },
]

class Base {
  constructor(
    @Inject(Name) readonly name: string,
    @Inject(Other) readonly other: string,
  ) {}
}

describe('a class without a constructor', () => {
  it('receives the dependencies of the inherited constructor', async () => {
    @Injectable()
    class Derived extends Base {}
    @Injectable()
    class Further extends Derived {}
    const app = await App.create({ providers: [...providers, Derived, Further], logger: false })
    for (const made of [app.get(Derived), app.get(Further)]) {
      expect([made.name, made.other]).toEqual(['Ada', 'Bob'])
    }
    await app.close()
  })

  it('receives the dependencies of the inherited constructor if it is a controller', async () => {
    @Controller('names')
    class Names extends Base {
      @Get() get() {
        return [this.name, this.other]
      }
    }
    await using app = await TestApp.create({ controllers: [Names], providers })
    expect((await app.request().get('/names')).body.data).toEqual(['Ada', 'Bob'])
  })
})

describe('a class with its own constructor', () => {
  it('receives only the dependencies of its own constructor', async () => {
    @Injectable()
    class Own extends Base {
      constructor(@Inject(Other) readonly first: string) {
        super(`own ${first}`, 'fixed')
      }
    }
    const app = await App.create({ providers: [...providers, Own], logger: false })
    const { first, name, other } = app.get(Own)
    expect([first, name, other]).toEqual(['Bob', 'own Bob', 'fixed'])
    await app.close()
  })

  it('does not receive the dependencies of the base class if `static inject` lists its own', async () => {
    @Injectable()
    class Own extends Base {
      static readonly inject = [Other]
      constructor(readonly first: string) {
        super('fixed', 'fixed')
      }
    }
    const app = await App.create({ providers: [...providers, Own], logger: false })
    expect(app.get(Own).first).toBe('Bob')
    await app.close()
  })

  it('does not receive the dependencies of the base class if the compiler has emitted its types', async () => {
    class Service {}
    @Injectable()
    @Reflect.metadata('design:paramtypes', [Service])
    class Own extends Base {
      constructor(readonly service: Service) {
        super('fixed', 'fixed')
      }
    }
    const app = await App.create({ providers: [...providers, Service, Own], logger: false })
    expect(app.get(Own).service).toBeInstanceOf(Service)
    await app.close()
  })
})

it('an injected field has the token of the subclass, even if the base class also injects it', async () => {
  class Fields {
    @Inject(Name) readonly name!: string
    @Inject(Name) readonly inherited!: string
  }
  @Injectable()
  class Derived extends Fields {
    @Inject(Other) override readonly name = ''
  }
  const app = await App.create({ providers: [...providers, Derived], logger: false })
  const { name, inherited } = app.get(Derived)
  expect([name, inherited]).toEqual(['Bob', 'Ada'])
  await app.close()
})
