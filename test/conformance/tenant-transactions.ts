import { runWithTenant } from 'blazon'
import { Database, isUniqueViolation, TenantSwitchError } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'

/** What is saved together, what is not, and in whose name. */
export function describeTransactions(databaseOf: () => TenantDatabase): void {
  describe('a transaction', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      app = await database.start({ tenant: {} }, { connections: 2 })
      db = app.get(Database)
    })
    afterAll(() => app.close())
    beforeEach(() => database.asOwner('truncate orders, items'))

    const asA = <T>(fn: () => Promise<T>) => runWithTenant('a', fn)
    const add = (note: string) => db.query('insert into orders (note) values ($1)', [note])
    const transact = <T>(fn: () => Promise<T>) => asA(() => db.transaction(fn))
    const saved = async () => {
      const rows = await database.look<{ note: string }>('select note from orders order by id')
      return rows.map(({ note }) => note)
    }
    const boom = () => {
      throw new Error('Boom')
    }

    it('saves everything, and answers with what its function answers', async () => {
      const answer = await transact(async () => {
        await add('1')
        await Promise.all([add('2'), add('3')])
        return 'done'
      })
      expect(answer).toBe('done')
      expect(await saved()).toEqual(['1', '2', '3'])
    })

    it('saves nothing when its function throws, and throws the same', async () => {
      const error = new Error('Mine')
      const whole = transact(async () => {
        await add('1')
        throw error
      })
      await expect(whole).rejects.toBe(error)
      expect(await saved()).toEqual([])
    })

    it('sees what it has done, which nobody else does before it is saved', async () => {
      await transact(async () => {
        await add('1')
        const { rows } = await db.query('select note from orders')
        expect(rows).toEqual([{ note: '1' }])
        // An embedded one has one connection: who looks has to wait.
        if (!database.isEmbedded) expect(await saved()).toEqual([])
      })
      expect(await saved()).toEqual(['1'])
    })

    it('undoes a part alone', async () => {
      await transact(async () => {
        await add('outer')
        await expect(
          db.transaction(async () => {
            await add('inner')
            boom()
          }),
        ).rejects.toThrow('Boom')
        await add('after')
      })
      expect(await saved()).toEqual(['outer', 'after'])
    })

    it('undoes what was refused in a part, and goes on', async () => {
      await transact(async () => {
        await db.query("insert into orders (note, code) values ('first', 'K')")
        const again = db.transaction(() =>
          db.query("insert into orders (note, code) values ('again', 'K')"),
        )
        await expect(again).rejects.toSatisfy((error) =>
          isUniqueViolation(error, 'orders_code_key'),
        )
        await add('after')
      })
      expect(await saved()).toEqual(['first', 'after'])
    })

    it('undoes parts of parts with what they are parts of', async () => {
      await transact(async () => {
        await add('1')
        await db
          .transaction(async () => {
            await add('2')
            await db.transaction(() => add('3'))
            await db.transaction(() => add('4').then(boom)).catch(() => {})
            boom()
          })
          .catch(() => {})
        await db.transaction(async () => {
          await add('5')
          await db.transaction(() => add('6').then(boom)).catch(() => {})
          await db.transaction(() => add('7'))
        })
      })
      expect(await saved()).toEqual(['1', '5', '7'])
    })

    it('does not mix parts that run at the same time', async () => {
      await transact(async () => {
        const part = (name: string, fails: boolean) =>
          db.transaction(async () => {
            await add(`${name}1`)
            await new Promise((resolve) => setImmediate(resolve))
            await add(`${name}2`)
            if (fails) boom()
          })
        // The first one fails: whatever slips into it is lost.
        const parts = [part('b', true), part('a', false), part('d', true), part('c', false)]
        const own = [add('x'), add('y')]
        const outcomes = await Promise.allSettled([...parts, ...own])
        expect(outcomes.map(({ status }) => status)).toEqual([
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
          'fulfilled',
        ])
      })
      expect((await saved()).toSorted()).toEqual(['a1', 'a2', 'c1', 'c2', 'x', 'y'])
    })

    it('takes parts that nobody awaits to their end before it ends', async () => {
      await transact(async () => {
        await add('1')
        void db.transaction(() => add('2').then(() => add('3')))
      })
      expect(await saved()).toEqual(['1', '2', '3'])
    })

    it('never ends well when a statement was refused and its error caught', async () => {
      const whole = transact(async () => {
        await add('1')
        await db.query('select 1 / 0').catch(() => {})
        return 'saved'
      })
      await expect(whole).rejects.toThrow('Nothing was saved')
      const insisting = transact(async () => {
        await db.query('select 1 / 0').catch(() => {})
        await add('1').catch(() => {})
        return 'saved'
      })
      await expect(insisting).rejects.toThrow('Nothing was saved')
      expect(await saved()).toEqual([])
    })

    it('ends with the error of a part that was refused and never undone', async () => {
      const whole = transact(async () => {
        await add('1')
        await db.transaction(async () => {
          await db.query('select 1 / 0').catch(() => {})
        })
        return 'saved'
      })
      await expect(whole).rejects.toThrow()
      expect(await saved()).toEqual([])
    })

    it('is refused where it is saved, and then saves nothing', async () => {
      const text = "insert into orders (number) values ('1')"
      const whole = transact(async () => {
        await db.query(text)
        await db.query(text)
      })
      await expect(whole).rejects.toSatisfy((error) =>
        isUniqueViolation(error, 'orders_number_key'),
      )
      expect(await saved()).toEqual([])
    })

    it('refuses a statement that comes when it is over', async () => {
      let late: Promise<unknown> | undefined
      let goOn = () => {}
      const over = new Promise<void>((resolve) => {
        goOn = resolve
      })
      await transact(async () => {
        await add('1')
        late = over.then(() => add('2'))
        late.catch(() => {})
      })
      goOn()
      await expect(late).rejects.toThrow('has ended')
      expect(await saved()).toEqual(['1'])
    })

    it('belongs to one tenant from beginning to end', async () => {
      const whole = transact(async () => {
        await add('1')
        await runWithTenant('b', () => add('2'))
      })
      await expect(whole).rejects.toThrow(TenantSwitchError)
      expect(await saved()).toEqual([])
      for (const switches of [
        () => db.withTenantTransaction('b', () => add('2')),
        () => runWithTenant('b', () => db.transaction(() => add('2'))),
        () => runWithTenant('b', () => db.query('select 1')),
      ]) {
        await transact(async () => {
          await add('1')
          await expect(switches()).rejects.toThrow(TenantSwitchError)
        })
      }
      expect(await saved()).toEqual(['1', '1', '1'])
    })

    it('of all tenants within one of a tenant ends where it ends', async () => {
      await db.withTenantTransaction('b', () => add('of b'))
      await transact(async () => {
        await add('of a')
        const all = await db.withoutTenant('for the test', () =>
          db.query('select note from orders'),
        )
        expect(all.rowCount).toBe(2)
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
        await db.withoutTenant('for the test', boom).catch(() => {})
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
        await expect(
          db.withoutTenant('for the test', () => runWithTenant('b', () => add('2'))),
        ).rejects.toThrow(TenantSwitchError)
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
      })
      expect((await saved()).toSorted()).toEqual(['of a', 'of b'])
    })

    it('of one tenant runs beside that of another', async () => {
      const both = ['a', 'b'].map((tenant) =>
        db.withTenantTransaction(tenant, async () => {
          await add(`1 of ${tenant}`)
          await new Promise((resolve) => setImmediate(resolve))
          await add(`2 of ${tenant}`)
          return (await db.query('select note from orders order by id')).rows
        }),
      )
      const [ofA, ofB] = await Promise.all(both)
      expect(ofA).toEqual([{ note: '1 of a' }, { note: '2 of a' }])
      expect(ofB).toEqual([{ note: '1 of b' }, { note: '2 of b' }])
    })

    it.each([
      'commit',
      ' \n COMMIT WORK;',
      'commit and chain',
      'rollback',
      'rollback and chain',
      'abort',
      'end',
      'begin',
      'start transaction read only',
      "prepare transaction 'x'",
      '-- a comment\ncommit',
      '/* a /* nested */ comment -- */ commit',
      ';commit',
      '; /* nothing */ ;\n commit',
      '-- a comment\rcommit',
    ])('is begun and ended by no statement: %s', async (text) => {
      await runWithTenant('b', () => add('of b'))
      await transact(async () => {
        await add('1')
        await expect(db.query(text)).rejects.toThrow('cannot be sent as a query')
        expect((await db.query('select tenant_id from orders')).rows).toEqual([{ tenant_id: 'a' }])
        await db.query("update orders set note = 'by a'")
      })
      await expect(asA(() => db.query(text))).rejects.toThrow('cannot be sent as a query')
      expect((await saved()).toSorted()).toEqual(['by a', 'of b'])
    })

    it('may have savepoints of the program', async () => {
      await transact(async () => {
        await db.query('savepoint mine')
        await add('1')
        await db.query('rollback to savepoint mine')
        await db.query('rollback work to mine')
        await db.query('-- done\nrelease savepoint mine')
        await add('2')
        await db.query("select 'commit' as ending -- commit")
      })
      expect(await saved()).toEqual(['2'])
    })
  })
}
