// Sends gaze from a page: docs/live.md
;(() => {
	const RETRY_MS = [0, 1e3, 3e3, 9e3, 27e3]
	const COLUMNS = 't_ms gaze_x_px gaze_y_px scroll_y_px mouse_x_px mouse_y_px is_click'.split(' ')
	const now = () => new Date().toISOString()
	const tenth = (n) => (Number.isFinite(n) ? Math.round(n * 10) / 10 : null)

	/** Runs a transaction on unsent data. */
	const kept = (ask) =>
		new Promise((resolve) => {
			const asking = indexedDB.open('gazette', 1)
			asking.onerror = () => resolve()
			asking.onupgradeneeded = () => asking.result.createObjectStore('unsent', { keyPath: 'key' })
			asking.onsuccess = () => {
				const db = asking.result
				const change = db.transaction('unsent', 'readwrite')
				const asked = ask(change.objectStore('unsent'))
				change.oncomplete = change.onabort = () => resolve(asked.result, db.close())
			}
		}).catch(() => {})
	const keep = (entry) => kept((store) => store.put(entry))
	const forget = ({ key }) => kept((store) => store.delete(key))
	/** Uses what a closing page can write. */
	const left = (use) => {
		try {
			return use(localStorage)
		} catch {}
	}

	/** Resolves to false for a retry. */
	async function sendOnce(entry, keepalive) {
		const { address, body, token, key } = entry
		const headers = { 'X-AUTH-TOKEN': token, 'Idempotency-Key': key, 'Content-Type': 'application/json' }
		const answer = await fetch(address, { method: 'POST', headers, body, keepalive }).catch(() => ({ status: 500 }))
		if ([408, 429].includes(answer.status) || answer.status > 499) return false
		if (!answer.ok) throw new Error(`${answer.status} ${(await answer.json().catch(() => ({}))).detail}`)
		await forget(entry)
		return true
	}

	async function send(entry) {
		await keep(entry)
		for (const ms of RETRY_MS) {
			await new Promise((resolve) => setTimeout(resolve, ms))
			if (await sendOnce(entry)) return
		}
		throw new Error('not sent yet: kept for the next visit')
	}

	/** Sends data of earlier visits. */
	async function sendKept() {
		for (const name of left(Object.keys) ?? [])
			if (/^gazette /.test(name) && (await keep(JSON.parse(localStorage[name])))) delete localStorage[name]
		for (const entry of (await kept((store) => store.getAll())) ?? []) {
			const ms = Date.now() - entry.at
			if (ms > 26e8) await forget(entry)
			// Another tab may send it.
			else if (entry.isWhole || ms > 36e5) await sendOnce(entry).catch(() => {})
		}
	}

	function start({ url, study, token, participant }) {
		const who = { participant_id: crypto.randomUUID(), created_at: now(), ...participant }
		const tests = []
		const mouse = { x: null, y: null }
		let [test, startMs, clicked, ended] = [null, 0, false, null]
		const entryOf = (isWhole, is_completed) => ({
			key: who.participant_id,
			at: Date.now(),
			address: `${url}/api2/studies/${study}/participants`,
			token,
			isWhole,
			body: JSON.stringify({ participant: { is_completed, ...who }, tests }),
		})
		const onMouse = ({ type, clientX, clientY }) => {
			Object.assign(mouse, { x: clientX, y: clientY })
			if (type === 'pointerdown') clicked = true
		}
		const onLeave = () => {
			if (ended) return
			stop()
			const entry = entryOf(true, false)
			if (!tests.length) return
			left((store) => store.setItem(`gazette ${entry.key}`, JSON.stringify(entry)))
			// A beacon cannot carry a token.
			if (new Blob([entry.body]).size < 6e4) sendOnce(entry, true).catch(() => {})
		}
		const listeners = { pointermove: onMouse, pointerdown: onMouse, pagehide: onLeave }
		for (const name in listeners) addEventListener(name, listeners[name])

		function endItem() {
			if (!test) return
			test.duration_ms = tenth(performance.now() - startMs)
			tests.push(test)
			test = null
			keep(entryOf(false, false))
		}
		function stop() {
			endItem()
			ended = Promise.resolve()
			for (const name in listeners) removeEventListener(name, listeners[name])
		}
		sendKept()
		return {
			mouse,
			endItem,
			/** Begins an item in an element or the window. */
			item(item_id, element) {
				endItem()
				if (ended) return
				const box = element?.getBoundingClientRect()
				test = {
					test_id: crypto.randomUUID(),
					item_id,
					created_at: now(),
					display_order: tests.length + 1,
					browser_width_px: innerWidth,
					browser_height_px: innerHeight,
					...(box && {
						item_display_left_px: tenth(box.x + scrollX),
						item_display_top_px: tenth(box.y + scrollY),
						item_display_width_px: tenth(box.width),
						item_display_height_px: tenth(box.height),
					}),
					samples: Object.fromEntries(COLUMNS.map((name) => [name, []])),
				}
				startMs = performance.now()
			},
			/** Records gaze in px of the window; null if lost. */
			gaze(x, y) {
				if (!test) return
				const row = [performance.now() - startMs, x, y, scrollY, mouse.x, mouse.y].map(tenth)
				for (const [i, value] of [...row, clicked].entries()) test.samples[COLUMNS[i]].push(value)
				clicked = false
			},
			/** Ends and sends the session. */
			finish() {
				if (!ended) {
					stop()
					ended = send(entryOf(true, true))
				}
				return ended
			},
		}
	}

	globalThis.Gazette = { start }
})()
