@rem Builds the package on Windows; the recipe runs it in a copy of the sources.
@rem The names are hard links, which conda packages as files. Neither tar nor copy is asked to find a name: Windows' tar finds none.
set CGO_ENABLED=0
set GOPATH=%SRC_DIR%\gopath
set GOCACHE=%SRC_DIR%\gocache
set GOFLAGS=-modcacherw
if not defined SOURCE_DATE_EPOCH set SOURCE_DATE_EPOCH=1767225600
for /f %%a in ('go env GOARCH') do set arch=%%a
go run ./packaging/dist --out archive --targets windows/%arch% --version %PKG_VERSION%
if %errorlevel% neq 0 exit 1
for %%f in (archive\*.zip) do set packed=%%f
mkdir unpacked
mkdir licenses
tar -x -f "%packed%" -C unpacked --strip-components 1
if %errorlevel% neq 0 exit 1
copy unpacked\THIRD_PARTY_LICENSES licenses\THIRD_PARTY_LICENSES
if %errorlevel% neq 0 exit 1
if not exist "%LIBRARY_BIN%" mkdir "%LIBRARY_BIN%"
copy unpacked\repscope.exe "%LIBRARY_BIN%\repscope.exe"
if %errorlevel% neq 0 exit 1
"%LIBRARY_BIN%\repscope.exe" links "%LIBRARY_BIN%"
if %errorlevel% neq 0 exit 1
