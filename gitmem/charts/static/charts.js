// Draws the pictures of a page: <div class="chart" data-picture="ID"> from the JSON in
// <script type="application/json" id="ID">. All texts are drawn as text: tips are built from text
// nodes, labels never have rich text or HTML.
(function () {
  "use strict";
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const shade = (palette, number) => css("--" + palette + "-" + number) || css("--groups-8");
  const font = "system-ui, sans-serif";

  function tip(lines) {
    const box = document.createElement("div");
    box.className = "chart-tip";
    lines.filter(Boolean).forEach((line, number) => {
      const part = document.createElement("div");
      part.textContent = line;
      if (number) part.className = "chart-tip-faint";
      box.append(part);
    });
    return box;
  }

    const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

  function base(lines) {
    return {
      animation: !still,
      animationDuration: 250,
      textStyle: { fontFamily: font, color: css("--chart-text") },
      tooltip: {
        confine: true,
        backgroundColor: css("--chart-page"),
        borderColor: css("--chart-line"),
        textStyle: { color: css("--chart-text"), fontFamily: font, fontSize: 13 },
        formatter: (hit) => tip(lines(hit)),
      },
    };
  }

  const many = (count, thing) => count + " " + (count === 1 ? thing : thing.endsWith("y") ? thing.slice(0, -1) + "ies" : thing + "s");
  const SHAPES = ["circle", "rect", "diamond", "triangle"];

  function timeline(picture, width) {
    const narrow = width < 560;
    const names = picture.rows.map((row) => row.name);
    const left = narrow ? 76 : 92;
    const axis = { axisLine: { lineStyle: { color: css("--chart-line") } }, axisTick: { show: false }, axisLabel: { color: css("--chart-faint"), fontSize: 12, hideOverlap: true } };
    const times = { year: "{yyyy}", month: "{MMM} {yyyy}", day: "{d} {MMM}", hour: "{HH}:{mm}", minute: "{HH}:{mm}" };
    const when = (mark) => (mark[1] && mark[1] !== mark[0] ? minute.format(mark[0]) + " – " + minute.format(mark[1]) : minute.format(mark[0]));
    return {
      ...base(({ data }) => {
        const [mark, row] = data.mark;
        const thing = names[row].replace(/ies$/, "y").replace(/s$/, "");
        return mark[2] > 1 || !mark[3] ? [many(mark[2], thing), when(mark)] : [mark[3], thing + ", " + when(mark)];
      }),
      grid: { left: left, right: 16, top: 8, bottom: 64 },
      xAxis: { type: "time", min: picture.since, max: picture.until, ...axis, axisLabel: { ...axis.axisLabel, formatter: times }, splitLine: { show: true, lineStyle: { color: css("--chart-line"), opacity: 0.5 } }, splitNumber: narrow ? 3 : 8 },
      yAxis: { type: "category", inverse: true, data: names, ...axis, axisLabel: { ...axis.axisLabel, color: css("--chart-text"), fontSize: 13 }, splitLine: { show: true, lineStyle: { color: css("--chart-line"), opacity: 0.5 } } },
      dataZoom: [
        { type: "inside", filterMode: "weakFilter", zoomOnMouseWheel: "ctrl", moveOnMouseMove: true, preventDefaultMouseMove: false },
        { type: "slider", filterMode: "weakFilter", height: 22, bottom: 8, borderColor: css("--chart-line"), showDetail: false, showDataShadow: false, brushSelect: true },
      ],
      series: picture.rows.map((row, number) => ({
        type: "custom",
        name: row.name,
        clip: true,
        encode: { x: [0, 1], y: 2 },
        data: row.marks.map((mark) => ({ value: [mark[0], (mark[3] && mark[1]) || mark[0], number, mark[2], mark[1] || mark[0]], mark: [mark, number] })),
        renderItem: drawMark(number),
      })),
    };
  }

  function drawMark(number) {
    const colour = css("--accent-" + (number % 4));
    return (frame, api) => {
      const [from, y] = api.coord([api.value(0), number]);
      const to = api.coord([api.value(api.value(3) > 1 ? 4 : 1), number])[0];
      const count = api.value(3);
      const style = { fill: colour, opacity: 0.8 };
      if (count > 1) {
        // A stretch of time with several events: as high as there are events in it.
        const room = api.size([0, 1])[1] * 0.8;
        const high = Math.min(room, 5 + 5 * Math.log2(count));
        return { type: "rect", shape: { x: from, y: y - high / 2, width: Math.max(3, to - from - 1), height: high, r: 1 }, style: style };
      }
      if (to - from > 9) return { type: "rect", shape: { x: from, y: y - 5, width: to - from, height: 10, r: 3 }, style: style };
      return echartsShape(SHAPES[number % 4], (from + to) / 2, y, style);
    };
  }

  function echartsShape(shape, x, y, style) {
    const r = 5.5;
    if (shape === "circle") return { type: "circle", shape: { cx: x, cy: y, r: r }, style: style };
    if (shape === "rect") return { type: "rect", shape: { x: x - r, y: y - r, width: 2 * r, height: 2 * r, r: 2 }, style: style };
    const points = shape === "diamond" ? [[x, y - r - 2], [x + r + 2, y], [x, y + r + 2], [x - r - 2, y]] : [[x, y - r - 1], [x + r + 1, y + r], [x - r - 1, y + r]];
    return { type: "polygon", shape: { points: points }, style: style };
  }

  function treemap(picture) {
    const text = css("--chart-text");
    const strong = picture.palette === "steps" ? [4, 5] : [];
    const light = matchMedia("(prefers-color-scheme: dark)").matches ? "#0d1117" : "#ffffff";
    const node = (item) => item.nodes
      ? { name: item.name, value: item.lines, item: item, children: item.nodes.map(node), itemStyle: { color: css("--" + picture.palette + "-0") } }
      : { name: item.name, value: item.lines, item: item, itemStyle: { color: shade(picture.palette, item.shade) }, label: { color: strong.includes(item.shade) ? light : text } };
    return {
      ...base(({ data }) => data && data.item ? [data.item.name, many(data.item.lines, "line"), data.item.note] : []),
      series: [{
        type: "treemap", roam: false, nodeClick: false, breadcrumb: { show: false },
        left: 0, right: 0, top: 0, bottom: 0, visibleMin: 40, childrenVisibleMin: 200, squareRatio: 1,
        label: { show: true, fontSize: 12, lineHeight: 16, padding: [2, 4], position: "insideTopLeft", overflow: "truncate", lineOverflow: "truncate", formatter: ({ data }) => data.item.sign ? data.name + "\n" + data.item.sign : data.name },
        upperLabel: { show: true, height: 20, color: text, fontSize: 12, overflow: "truncate", formatter: ({ data }) => (data && data.name) || "" },
        itemStyle: { borderColor: css("--chart-page"), borderWidth: 1, gapWidth: 1 },
        levels: [{ upperLabel: { show: false }, itemStyle: { borderWidth: 0, gapWidth: 3 } }, { itemStyle: { borderColor: css("--chart-line"), borderWidth: 2, gapWidth: 1 } }, { itemStyle: { borderColor: css("--chart-line"), borderWidth: 1, gapWidth: 1 } }],
        data: picture.nodes.map(node),
      }],
    };
  }

  function network(picture, width, height) {
    const narrow = width < 560;
    const ink = css("--chart-text");
    // In pixels of the box: the series stretches what it gets to its room, symbols too.
    const spread = (name, room) => {
      const all = picture.nodes.map((item) => item[name]);
      const low = Math.min(...all), span = Math.max(...all) - low;
      return (item) => (span ? ((item[name] - low) / span) * room : room / 2);
    };
    const x = spread("x", width - (narrow ? 112 : 200)), y = spread("y", height - 68);
    return {
      ...base((hit) => hit.dataType === "edge" ? [hit.data.text] : [hit.data.item.text, picture.groups[hit.data.item.group]]),
      series: [{
        type: "graph", layout: "none", roam: false, left: narrow ? 56 : 100, right: narrow ? 56 : 100, top: 28, bottom: 40,
        edgeSymbol: ["none", "arrow"], edgeSymbolSize: 7,
        lineStyle: { color: css("--chart-faint"), opacity: 0.6, curveness: 0.08 },
        label: { show: true, position: "bottom", color: ink, fontSize: 12, width: narrow ? 100 : 190, overflow: "truncate", formatter: ({ data }) => data.item.text },
        emphasis: { focus: "adjacency" },
        data: picture.nodes.map((item, number) => ({ id: String(number), item: item, x: x(item), y: y(item), symbol: SHAPES[item.group % 4], symbolSize: 16, itemStyle: { color: shade("groups", item.group + 1), borderColor: css("--chart-faint") } })),
        links: picture.edges.map((edge) => ({ source: String(edge[0]), target: String(edge[1]), text: edge[2] })),
      }],
    };
  }

  function bars(picture) {
    const faint = { color: css("--chart-faint"), fontSize: 12 };
    return {
      ...base((hit) => [hit.seriesName + ": " + hit.value, hit.name]),
      grid: { left: 44, right: 12, top: 12, bottom: 28 },
      xAxis: { type: "category", data: picture.labels, axisTick: { show: false }, axisLine: { lineStyle: { color: css("--chart-line") } }, axisLabel: faint },
      yAxis: { type: "value", minInterval: 1, axisLabel: faint, splitLine: { lineStyle: { color: css("--chart-line") } } },
      series: picture.series.map((row, number) => ({ type: "bar", stack: "all", barMaxWidth: 48, name: row.name, data: row.values, itemStyle: { color: shade(picture.palette, number + 1) } })),
    };
  }

  const KINDS = { timeline: timeline, treemap: treemap, network: network, bars: bars };

  function draw(box) {
    const data = document.getElementById(box.dataset.picture);
    const picture = JSON.parse(data.textContent);
    const make = KINDS[picture.kind];
    if (!make || typeof echarts === "undefined") return;
    box.classList.add("chart-" + picture.kind);
    box.hidden = false;
    const chart = echarts.init(box, null, { renderer: "canvas" });
    const paint = () => chart.setOption(make(picture, box.clientWidth, box.clientHeight), true);
    paint();
    chart.on("click", ({ data: hit }) => {
      const item = hit && (hit.item || (hit.mark && { href: hit.mark[0][4] }));
      // Only pages of this server.
      if (item && /^\/(?![\/\\])/.test(item.href || "")) location.assign(item.href);
    });
    new ResizeObserver(() => { chart.resize(); if (picture.kind === "network") paint(); }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  }

  const drawAll = () => document.querySelectorAll("[data-picture]").forEach(draw);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", drawAll);
  else drawAll();
})();
