import { Controller, file, Post, Upload, type UploadOutput } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { FORM_TYPE, form } from './form.js'

const Form = { title: z.string(), text: file() }

@Controller('forms')
class FormsController {
  @Post()
  async create(@Upload(Form) body: UploadOutput<typeof Form>) {
    return { title: body.title, text: String(await body.text.bytes()) }
  }
}

it('@Upload passes the form to a parameter', async () => {
  const app = await TestApp.create({ controllers: [FormsController] })
  const parts = [
    { name: 'title', value: 'a' },
    { name: 'text', value: 'hello', filename: 'f' },
  ]
  const response = await app.fetch('/forms', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE },
    body: new Uint8Array(form(parts)),
  })
  expect(await response.json()).toMatchObject({ data: { title: 'a', text: 'hello' } })
  await app.close()
})
