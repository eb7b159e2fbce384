"""Modules that languages bring with them, and packages whose name says nothing of their module."""

from __future__ import annotations

_NODE = """\
assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel
dns domain events fs http http2 https inspector module net os path perf_hooks process punycode
querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi
worker_threads zlib test sqlite sea electron vscode obsidian"""
_NODE_BELOW = """\
assert/strict dns/promises fs/promises inspector/promises path/posix path/win32 readline/promises
stream/consumers stream/promises stream/web timers/promises util/types test/reporters"""
_GO = """\
archive/tar archive/zip bufio bytes cmp compress/bzip2 compress/flate compress/gzip compress/lzw
compress/zlib container/heap container/list container/ring context crypto crypto/aes crypto/cipher
crypto/des crypto/dsa crypto/ecdh crypto/ecdsa crypto/ed25519 crypto/elliptic crypto/hkdf
crypto/hmac crypto/md5 crypto/mlkem crypto/pbkdf2 crypto/rand crypto/rc4 crypto/rsa crypto/sha1
crypto/sha256 crypto/sha3 crypto/sha512 crypto/subtle crypto/tls crypto/x509 crypto/x509/pkix
database/sql database/sql/driver debug/buildinfo debug/dwarf debug/elf debug/gosym debug/macho
debug/pe embed encoding encoding/ascii85 encoding/asn1 encoding/base32 encoding/base64
encoding/binary encoding/csv encoding/gob encoding/hex encoding/json encoding/pem encoding/xml
errors expvar flag fmt go/ast go/build go/constant go/doc go/format go/importer go/parser
go/printer go/scanner go/token go/types go/version hash hash/adler32 hash/crc32 hash/crc64 hash/fnv
hash/maphash html html/template image image/color image/draw image/gif image/jpeg image/png io
io/fs io/ioutil iter log log/slog log/syslog maps math math/big math/bits math/cmplx math/rand
math/rand/v2 mime mime/multipart mime/quotedprintable net net/http net/http/cgi net/http/cookiejar
net/http/fcgi net/http/httptest net/http/httptrace net/http/httputil net/http/pprof net/mail
net/netip net/rpc net/rpc/jsonrpc net/smtp net/textproto net/url os os/exec os/signal os/user path
path/filepath plugin reflect regexp regexp/syntax runtime runtime/debug runtime/metrics
runtime/pprof runtime/trace slices sort strconv strings structs sync sync/atomic syscall syscall/js
testing testing/fstest testing/iotest testing/quick testing/slogtest testing/synctest text/scanner
text/tabwriter text/template text/template/parse time time/tzdata unicode unicode/utf16
unicode/utf8 unique unsafe weak"""
_RUST = """\
alloc any arch array ascii assert assert_eq assert_ne async_iter autodiff backtrace bool borrow
boxed cell cfg char clone cmp collections column compile_error concat convert dbg debug_assert
default env eprint eprintln error f32 f64 ffi file fmt format fs future hash hint i8 i16 i32 i64
i128 include include_bytes include_str io isize iter line marker matches mem module_path net num
ops option option_env os panic panicking path pin prelude primitive print println process ptr
random range rc result simd slice str string stringify sync task thread thread_local time todo u8
u16 u32 u64 u128 unimplemented unreachable usize vec write writeln f16 f128 intrinsics pat never
reference tuple unit fn"""
_PYTHON = """\
PIL:pillow yaml:pyyaml bs4:beautifulsoup4 cv2:opencv sklearn:scikit-learn skimage:scikit-image
dateutil:python-dateutil attr:attrs jwt:pyjwt Crypto:pycryptodome Cryptodome:pycryptodomex
OpenSSL:pyopenssl serial:pyserial usb:pyusb git:gitpython github:pygithub MySQLdb:mysqlclient
zmq:pyzmq nacl:pynacl fitz:pymupdf socks:pysocks pkg_resources:setuptools
_distutils_hack:setuptools win32api:pywin32 win32con:pywin32 win32com:pywin32 pythoncom:pywin32
gi:pygobject wx:wxpython grpc:grpcio absl:absl-py mpl_toolkits:matplotlib pylab:matplotlib
Xlib:python-xlib ldap:python-ldap _pytest:pytest py:pytest distutils:setuptools umap:umap-learn
faiss:faiss-cpu OpenGL:pyopengl cairo:pycairo rest_framework:djangorestframework
corsheaders:django-cors-headers environ:django-environ psycopg2:psycopg2-binary dns:dnspython"""

# Node's own modules, with what programs that embed it add; and modules in them.
NODE = frozenset(_NODE.split())
NODE_BELOW = frozenset(_NODE_BELOW.split())
# The packages of Go's standard library, and the modules of Rust's. Later versions have more, so of
# what is not listed nothing is said unless it is misspelt.
GO = frozenset(_GO.split())
GO_ROOTS = frozenset(name.split("/")[0] for name in GO) | {"C", "cmd", "internal", "vendor"}
RUST = frozenset(_RUST.split())
# Module of Python -> the package that has it.
PYTHON = dict(pair.split(":") for pair in _PYTHON.split())
